"""Runs that mislead (cancelled, unlike devices, wrong results, missing cases): the report names it first."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

import pytest
from sqlalchemy import update

from orchestrator.cli.tables.verdicts import print_side_by_side, print_verdicts
from orchestrator.database.models import Case, Execution, Run, now
from orchestrator.papers.reporting.columns import side_by_side
from orchestrator.papers.reporting.latex import latex
from orchestrator.papers.reporting.schemas import PaperReport
from orchestrator.papers.service import get_report
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.freshness.repository import count_changes
from orchestrator.shared.values.latex import escape
from orchestrator.web.papers.reports.page import report_page
from tests.support.live_service import Served
from tests.support.masked_results import Shape, fill_masked

PAPER = "masked-lwc"
RUN = Shape(run_id="masked000001", agents=("x86",))
MIXED = Shape(run_id="mixed0000001", agents=("x86", "pi4"))
EMPTY = "empty0000001"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_masked(served.database, RUN)
    fill_masked(served.database, MIXED)
    with served.database.write() as session:
        at = now()
        session.add(
            Run(
                id=EMPTY, name="empty", plan={"version": 1}, seed=1, state="failed", executions_total=0,
                submitted_at=at,
            )
        )  # fmt: skip
    return served


@contextmanager
def misleading(served: Served, run_id: str, disturbed: int, **states: int) -> Iterator[None]:
    """Let a run be cancelled, disturb some executions and move others to other states, until the end of the block."""
    with served.database.write() as session:
        session.get_one(Run, run_id).state = "cancelled"
        query = session.query(Execution.id, Execution.case_id).join(Case, Case.id == Execution.case_id)
        query = query.filter(Execution.run_id == run_id, Execution.state == "ok", Case.shares == 4)
        changed = dict(query.limit(sum(states.values())))
        left = iter(changed)
        for state, count in states.items():
            ids = list(islice(left, count))
            session.execute(update(Execution).where(Execution.id.in_(ids)).values(state=state))
        session.flush()
        noisy = dict(query.limit(disturbed))
        session.execute(update(Execution).where(Execution.id.in_(noisy)).values(disturbed=True))
        count_changes(session, Counter([*changed.values(), *noisy.values()]), now())
    try:
        yield
    finally:
        with served.database.write() as session:
            session.get_one(Run, run_id).state = "finished"
            both = [*changed, *noisy]
            session.execute(update(Execution).where(Execution.id.in_(both)).values(state="ok", disturbed=False))
            count_changes(session, Counter([*changed.values(), *noisy.values()]), now())


@dataclass(frozen=True)
class Forms:
    """A report and its forms."""

    report: PaperReport
    html: str
    latex: str
    markdown: str
    page: str


def forms(served: Served, *runs: str) -> Forms:
    """Return the report, and what it is as HTML, LaTeX, Markdown and page."""
    report = get_report(served.database, ReadingsCache(), PAPER, list(runs))
    query = {"run": list(runs), "format": "md"}
    text = served.viewer.get(f"/api/v1/papers/{PAPER}/report", params=query).text
    page = served.viewer.get(f"/papers/{PAPER}", params={"run": list(runs)}, headers={"accept": "text/html"}).text
    return Forms(report, report_page(report), latex(report), text, page)


def require_first(found: Forms, sentence: str) -> None:
    """Require the sentence in every form, before the first verdict of a claim."""
    claim = "Masking the initialization alone costs less than masking everything"
    for form, words in (
        (found.html, sentence), (found.latex, escape(sentence)), (found.markdown, sentence), (found.page, sentence),
    ):  # fmt: skip
        assert words in form
        if claim in form:
            assert form.index(words) < form.index(claim)


def test_what_misleads_is_named_first_in_every_form_and_the_rest_is_judged(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: 2304 of 2304 executions were disturbed, and no form of the report named it (F102)."""
    monkeypatch.setenv("COLUMNS", "250")
    with misleading(served, RUN.run_id, disturbed=30, wrong=3, disputed=2, failed=3):
        found = forms(served, RUN.run_id)
        (agent,) = found.report.runs[0].found.agents
        assert agent.sentence.startswith("3 wrong, 2 disputed, 3 failed executions")
        assert agent.noise.startswith(
            f"30 of {agent.ok} executions were disturbed ({30 / agent.ok:.0%}). Noise floor: "
        )
        for sentence in (
            "The run is cancelled: the report judges what it has so far.",
            "3 executions on x86 gave wrong results and 2 are disputed",
            "3 executions on x86 failed and 0 were skipped.",
            # The filled run has three of the ciphers, and only 2 and 4 shares.
            "claims lack something on x86: ascon-128a init-final, 4 shares, chacha20: not measured",
            agent.noise,
        ):
            require_first(found, sentence)
        assert ">not reproduced here</td>" in found.html
        for show in (
            lambda: print_verdicts(found.report.runs[0].found),
            lambda: print_side_by_side(side_by_side([found.report.runs[0].found] * 2)),
        ):
            show()
            printed = capsys.readouterr().out
            assert printed.index(agent.noise) < printed.index("Masking the initialization")


@pytest.mark.long
def test_unlike_devices_are_named_first_and_keep_verdicts_of_their_own(served: Served) -> None:
    found = forms(served, MIXED.run_id)
    require_first(found, "2 different devices were measured")
    assert len({tuple(one.measured for one in agent.figures) for agent in found.report.runs[0].found.agents}) == 2


def test_run_without_results_is_named(served: Served) -> None:
    found = forms(served, EMPTY)
    for form in (found.html, found.latex, found.markdown, found.page):
        assert "The run is failed" in form
        assert "No agent of the run has results, so that no claim can be judged." in form
    both = report_page(get_report(served.database, ReadingsCache(), PAPER, [EMPTY, RUN.run_id]))
    assert f"No agent of run {EMPTY} has results" in both
    assert "claims were tested" in both
