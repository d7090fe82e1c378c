"""The page of a run that stops when it is sure: how many cases are precise, and what the others reached."""

from dataclasses import replace

from sqlalchemy import select, update

from orchestrator.database.models import Case, CaseStatistics, Run
from orchestrator.shared.units import KIB
from orchestrator.web.codes import PROVIDERS
from tests.support.database import Shape, fill, many_series
from tests.support.live_service import Served, words_of

PRECISE = Shape(
    run_id="precise00001", name="precise", repetitions=6, algorithms=("aes-192-cbc",), kinds=("text",),
    sizes=(128 * KIB,), with_curves=False,
)  # fmt: skip
ASKED = {"relative_interval": 0.01, "max_repetitions": 40}


def _fill(served: Served) -> None:
    fill(served.database, PRECISE)
    with served.database.write() as session:
        run = session.get_one(Run, PRECISE.run_id)
        run.plan = {**run.plan, "precision": ASKED}
        ids = session.scalars(select(Case.id).where(Case.run_id == run.id).order_by(Case.number)).all()
        for case_id, stopped, width in zip(ids, ("reached", "budget", "failing"), (0.009, 0.2468, None), strict=True):
            session.execute(update(Case).where(Case.id == case_id).values(stop_reason=stopped))
            of_case = update(CaseStatistics).where(CaseStatistics.case_id == case_id)
            session.execute(of_case.values(relative_interval=width))


def test_precision_section_shows_the_precision_reached(filled: Served) -> None:
    _fill(filled)
    page = words_of(filled.viewer.get(f"/runs/{PRECISE.run_id}"))
    cases = filled.viewer.get(f"/api/v1/runs/{PRECISE.run_id}/cases").json()["items"]
    other = filled.viewer.get("/runs/good00000001").text
    assert "1 of 3 cases is precise to ± 1 %; 1 stopped after 60 s; 1 never succeeded" in page
    assert "2 cases stopped before that precision, with the interval reached" in page
    assert "± 24.7 %" in page
    assert page.index("no execution is ok") < page.index("the time budget was spent")
    assert [(case["stop_reason"], case["summary"]["relative_interval"], case["copy"]) for case in cases] == [
        ("reached", 0.009, 1), ("budget", 0.2468, 1), ("failing", None, 1),
    ]  # fmt: skip
    assert 'id="precision"' not in other


MEASURING = replace(PRECISE, run_id="measuring001", name="measuring", state="running", done=0.75, repetitions=16)


def test_intervals_of_a_measuring_run_with_the_executions_left(filled: Served) -> None:
    fill(filled.database, MEASURING)
    with filled.database.write() as session:
        run = session.get_one(Run, MEASURING.run_id)
        run.plan = {**run.plan, "precision": {"relative_interval": 0.01, "max_repetitions": 40}}
        ids = session.scalars(select(Case.id).where(Case.run_id == run.id).order_by(Case.number)).all()
        # 12 of 16 repetitions have ended. Four times the required width needs 16 times the repetitions.
        for case_id, width in zip(ids, (0.04, 0.009, 0.011), strict=True):
            of_case = update(CaseStatistics).where(CaseStatistics.case_id == case_id)
            session.execute(of_case.values(relative_interval=width))
        session.execute(update(Case).where(Case.id == ids[1]).values(stop_reason="reached"))
    shown = filled.viewer.get(f"/runs/{MEASURING.run_id}", params={"format": "json"}).json()["intervals"]
    page = filled.viewer.get(f"/runs/{MEASURING.run_id}").text
    ended = filled.viewer.get("/runs/good00000001", params={"format": "json"}).json()["intervals"]
    assert (shown["target"], shown["total"]) == (0.01, 3)
    assert [(row["relative_interval"], row["ended"], row["left"]) for row in shown["cases"]] == [
        (0.04, 12, 28), (0.009, 12, 0), (0.011, 12, 4),
    ]  # fmt: skip
    assert page.index("± 4 %") < page.index("± 0.9 %") < page.index("± 1.1 %")
    assert ended is None


def test_intervals_of_a_large_run_are_the_widest_and_folded(filled: Served) -> None:
    shape = replace(many_series(PROVIDERS, 6), run_id="wide00000001", state="running", done=0.7, repetitions=10)
    fill(filled.database, shape)
    shown = filled.viewer.get(f"/runs/{shape.run_id}", params={"format": "json"}).json()["intervals"]
    page = filled.viewer.get(f"/runs/{shape.run_id}").text
    cases = filled.viewer.get(f"/api/v1/runs/{shape.run_id}/cases", params={"limit": 500}).json()["items"]
    widths = sorted((case["summary"]["relative_interval"] for case in cases), reverse=True)
    assert (shown["target"], shown["total"], len(shown["cases"])) == (None, len(cases), 100)
    assert sorted((row["relative_interval"] for row in shown["cases"]), reverse=True) == widths[:100]
    assert [row["number"] for row in shown["cases"]] == sorted(row["number"] for row in shown["cases"])
    assert all(row["ended"] + row["left"] == 10 for row in shown["cases"])
    assert "<details>" in page[page.index("Intervals of cases") :].partition("</section>")[0]
