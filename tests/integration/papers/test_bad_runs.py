"""Runs that mislead (cancelled, unlike devices, wrong results, missing cases): the report names it first."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import update

from orchestrator.cli.tables.verdicts import print_side_by_side, print_verdicts
from orchestrator.database.models import Case, Execution, Run, now
from orchestrator.papers.reporting.columns import side_by_side
from orchestrator.papers.reporting.latex import latex
from orchestrator.papers.service import get_report, get_verdicts_of
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.freshness.repository import count_changes
from orchestrator.shared.values.latex import escape
from orchestrator.web.papers.reports.page import report_page
from tests.support.live_service import Served, serve
from tests.support.masked_results import Shape, fill_masked

PAPER = "masked-lwc"
RUN = Shape(run_id="masked000001", agents=("x86",))
MIXED = Shape(run_id="mixed0000001", agents=("x86", "pi4"))
EMPTY = "empty0000001"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("bad-runs") / "data") as running:
        fill_masked(running.database, RUN)
        fill_masked(running.database, MIXED)
        with running.database.write() as session:
            at = now()
            session.add(
                Run(
                    id=EMPTY, name="empty", plan={"version": 1}, seed=1, state="failed", executions_total=0,
                    submitted_at=at,
                )
            )  # fmt: skip
        yield running


@contextmanager
def executions_in_state(served: Served, run_id: str, state: str, count: int) -> Iterator[None]:
    """Move some ok executions of a masked cipher to another state until the end of the block."""
    with served.database.write() as session:
        query = session.query(Execution).join(Case, Case.id == Execution.case_id)
        chosen = query.filter(Execution.run_id == run_id, Execution.state == "ok", Case.shares == 4).limit(count)
        changed = {one.id: one.case_id for one in chosen}
        _set_state(session, changed, state)
    try:
        yield
    finally:
        with served.database.write() as session:
            _set_state(session, changed, "ok")


def _set_state(session, changed, state) -> None:  # type: ignore[no-untyped-def]
    session.execute(update(Execution).where(Execution.id.in_(changed)).values(state=state))
    count_changes(session, Counter(changed.values()), now())


@contextmanager
def run_in_state(served: Served, run_id: str, state: str) -> Iterator[None]:
    with served.database.write() as session:
        session.get_one(Run, run_id).state = state
    try:
        yield
    finally:
        with served.database.write() as session:
            session.get_one(Run, run_id).state = "finished"


def forms(served: Served, *runs: str) -> tuple[str, str, str, str]:
    """Return the report as HTML, LaTeX and Markdown, and the page."""
    report = get_report(served.database, ReadingsCache(served.database), PAPER, list(runs))
    with served.client("viewer") as viewer:
        query = {"run": list(runs), "format": "md"}
        text = viewer.get(f"/api/v1/papers/{PAPER}/report", params=query).text
        page = viewer.get(f"/papers/{PAPER}", params={"run": list(runs)}, headers={"accept": "text/html"}).text
    return report_page(report), latex(report), text, page


def require_first(served: Served, sentence: str, *runs: str) -> None:
    """Require the sentence in every form, before the first verdict of a claim."""
    html, source, text, page = forms(served, *runs)
    claim = "Masking the initialization alone costs less than masking everything"
    for form, words in ((html, sentence), (source, escape(sentence)), (text, sentence), (page, sentence)):
        assert words in form
        if claim in form:
            assert form.index(words) < form.index(claim)


@pytest.mark.long
def test_cancelled_run_is_named_first_and_judged(served: Served) -> None:
    with run_in_state(served, RUN.run_id, "cancelled"):
        require_first(served, "The run is cancelled: the report judges what it has so far.", RUN.run_id)
        assert ">not reproduced here</td>" in forms(served, RUN.run_id)[0]


@pytest.mark.parametrize(("state", "words"), [
    ("wrong", "3 executions on x86 gave wrong results and 0 are disputed"),
    pytest.param("disputed", "0 executions on x86 gave wrong results and 3 are disputed", marks=pytest.mark.long),
    ("failed", "3 executions on x86 failed and 0 were skipped."),
])  # fmt: skip
def test_executions_that_are_not_ok_are_named_first(served: Served, state: str, words: str) -> None:
    with executions_in_state(served, RUN.run_id, state, 3):
        require_first(served, words, RUN.run_id)


def test_disturbed_share_and_noise_floor_are_first_in_every_form(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: 2304 of 2304 executions were disturbed, and no form of the report named it (F102)."""
    monkeypatch.setenv("COLUMNS", "250")
    with served.database.write() as session:
        ids = dict(session.query(Execution.id, Execution.case_id).filter_by(run_id=RUN.run_id, state="ok").limit(30))
        session.execute(update(Execution).where(Execution.id.in_(ids)).values(disturbed=True))
        count_changes(session, Counter(ids.values()), now())
    try:
        (found,) = get_verdicts_of(served.database, ReadingsCache(served.database), PAPER, [RUN.run_id])
        (agent,) = found.agents
        sentence = f"30 of {agent.ok} executions were disturbed ({30 / agent.ok:.0%}). Noise floor: "
        assert agent.noise.startswith(sentence)
        require_first(served, agent.noise, RUN.run_id)
        for show, document in (
            (print_verdicts, found),
            (print_side_by_side, side_by_side([found, found])),
        ):
            show(document.model_dump(mode="json"))
            printed = capsys.readouterr().out
            assert printed.index(agent.noise) < printed.index("Masking the initialization")
    finally:
        with served.database.write() as session:
            session.execute(update(Execution).where(Execution.id.in_(ids)).values(disturbed=False))
            count_changes(session, Counter(ids.values()), now())


def test_unlike_devices_are_named_first_and_keep_verdicts_of_their_own(served: Served) -> None:
    require_first(served, "2 different devices were measured", MIXED.run_id)
    report = get_report(served.database, ReadingsCache(served.database), PAPER, [MIXED.run_id])
    assert len({tuple(one.measured for one in agent.figures) for agent in report.runs[0].found.agents}) == 2


def test_claims_that_lack_a_case_are_named_first(served: Served) -> None:
    # The filled run has three of the ciphers, and only 2 and 4 shares.
    require_first(
        served, "claims lack something on x86: ascon-128a init-final, 4 shares, chacha20: not measured", RUN.run_id
    )


def test_run_without_results_is_named(served: Served) -> None:
    html, source, text, page = forms(served, EMPTY)
    for form in (html, source, text, page):
        assert "The run is failed" in form
        assert "No agent of the run has results, so that no claim can be judged." in form
    both = forms(served, EMPTY, RUN.run_id)[0]
    assert f"No agent of run {EMPTY} has results" in both
    assert "claims were tested" in both
