"""Several devices and two dates next to the published figures: API, page, report in every form, command line."""

import csv
import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest

from orchestrator.database.models import Case, Execution, Run
from orchestrator.papers.reporting.columns import title_of
from orchestrator.papers.reporting.latex import latex
from orchestrator.papers.reporting.schemas import PaperReport, SideBySide
from orchestrator.papers.service import get_report
from orchestrator.results.answers.readings import ReadingsCache
from tests.support.commands import Command, printed, succeeded
from tests.support.live_service import Served
from tests.support.masked_results import Shape, fill_masked

pytestmark = pytest.mark.untraced

PAPER = "masked-lwc"
FIRST = Shape(run_id="first0000001", agents=("x86", "pi4"))
LATER = Shape(run_id="later0000001", agents=("x86",), repetitions=10)
SLOWER = 1.5


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_masked(served.database, FIRST)
    fill_masked(served.database, LATER)
    with served.database.write() as session:
        session.get_one(Run, FIRST.run_id).submitted_at -= timedelta(days=30)
        masked = session.query(Case.id).filter(Case.run_id == LATER.run_id, Case.shares > 0)
        for execution in session.query(Execution).where(Execution.case_id.in_(masked)):
            execution.call_wall_ns = (execution.call_wall_ns or 0.0) * SLOWER
    return served


def get(served: Served, *runs: str, kind: str = "side-by-side", status: int = 200, **query: Any) -> Any:
    answer = served.viewer.get(f"/api/v1/papers/{PAPER}/{kind}", params={"run": list(runs), **query})
    assert answer.status_code == status, answer.text
    return answer


def report_of(served: Served, *runs: str) -> PaperReport:
    return get_report(served.database, ReadingsCache(), PAPER, list(runs))


@pytest.mark.long
def test_each_device_of_each_run_is_a_column_by_date(served: Served) -> None:
    # Requested in the other order.
    found = get(served, LATER.run_id, FIRST.run_id).json()
    assert [(one["run_id"], one["agent_name"]) for one in found["columns"]] == [
        (FIRST.run_id, "pi4"),
        (FIRST.run_id, "x86"),
        (LATER.run_id, "x86"),
    ]
    for place, column in enumerate(found["columns"]):
        alone = get(served, column["run_id"], kind="verdicts").json()
        agent = next(one for one in alone["agents"] if one["agent_name"] == column["agent_name"])
        assert [row["verdicts"][place] for row in found["claims"]] == agent["claims"]
        assert [row["verdicts"][place] for row in found["findings"]] == agent["findings"]
        for row, figure in zip(found["figures"], agent["figures"], strict=True):
            expected = {name: figure[name] for name in ("measured", "interval", "ratio", "reason")}
            assert row["values"][place] == expected
            assert (row["label"], row["published"]) == (figure["label"], figure["published"])
    # The masked variants became slower by this factor, and so did the overheads.
    _, before, after = next(row for row in found["figures"] if row["label"] == "ascon-128 full, 4 shares")["values"]
    assert after["ratio"] / before["ratio"] == pytest.approx(SLOWER, rel=0.02)
    assert after["interval"]["low"] > before["interval"]["high"]


@pytest.mark.long
def test_html_has_a_column_for_each_and_no_foreign_address(served: Served) -> None:
    text = get(served, FIRST.run_id, LATER.run_id, kind="report").text
    side = SideBySide.model_validate(get(served, FIRST.run_id, LATER.run_id).json())
    table = text[text.index('id="side-by-side"') : text.index('id="conditions"')]

    for one in side.columns:
        assert table.count(f"run {one.run_id}") >= 2
    claims = re.findall(r'<span class="verdict [a-z-]+">([a-z ]+)</span>', table)
    assert len(claims) == len(side.columns) * (len(side.claims) + len(side.findings))
    assert table.count("<small>ratio ") == sum(
        value.measured is not None for row in side.figures for value in row.values
    )
    # Conditions, verdicts and plan of each run follow.
    for run_id in (FIRST.run_id, LATER.run_id):
        assert f"Devices and conditions of run {run_id}" in text
        assert f"x86, run {run_id}: claims" in text
    for outside in ("<script", "src=", 'href="http'):
        assert outside not in text


@pytest.mark.long
def test_columns_are_in_latex_markdown_and_data(served: Served) -> None:
    report = report_of(served, FIRST.run_id, LATER.run_id)
    source, text = latex(report), get(served, FIRST.run_id, LATER.run_id, kind="report", format="md").text
    for one in report.side_by_side.columns:
        assert title_of(one) in source
        assert f"| {title_of(one)} |" in text
    answer = get(served, FIRST.run_id, LATER.run_id, kind="report", format="csv")
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert {(row["run_id"], row["agent_name"]) for row in rows} == {
        (FIRST.run_id, "x86"), (FIRST.run_id, "pi4"), (LATER.run_id, "x86"),
    }  # fmt: skip
    assert len({row["submitted_at"] for row in rows}) == 2
    assert answer.headers["content-disposition"].endswith(f'{FIRST.run_id}-{LATER.run_id}.csv"')


def test_columns_are_printed(command: Command) -> None:
    text = printed(command("report", PAPER, FIRST.run_id, LATER.run_id))
    assert "x86 20" in text
    assert text.count(LATER.run_id) >= 2
    document = json.loads(succeeded(command("report", PAPER, FIRST.run_id, LATER.run_id, "--json")))
    assert len(document["columns"]) == 3


def test_page_shows_the_chosen_runs_and_links_every_form(served: Served) -> None:
    page = served.viewer.get(
        f"/papers/{PAPER}", params={"run": [FIRST.run_id, LATER.run_id]}, headers={"accept": "text/html"}
    ).text
    assert 'id="side-by-side"' in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for form in ("html", "tex", "md", "csv", "parquet"):
        assert f"report?run={FIRST.run_id}&amp;run={LATER.run_id}&amp;format={form}" in page


def test_too_many_and_unknown_runs_are_refused(served: Served) -> None:
    get(served, *[FIRST.run_id] * 5, status=422)
    get(served, FIRST.run_id, "unknown00001", status=404)
    get(served, FIRST.run_id, "no/run", status=422)
    get(served, status=422)
