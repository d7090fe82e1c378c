"""The page of a run that stops when it is sure: how many cases are precise, and what the others reached."""

from sqlalchemy import select, update

from orchestrator.database.models import Case, CaseStatistics, Run
from orchestrator.units import KIB
from tests.support.database import Shape, fill
from tests.support.live_service import Served

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
    with filled.client("viewer") as client:
        page = client.get(f"/runs/{PRECISE.run_id}").text
        cases = client.get(f"/api/v1/runs/{PRECISE.run_id}/cases").json()["items"]
        other = client.get("/runs/good00000001").text
    assert "1 of 3 cases is precise to ± 1 %; 1 stopped after 60 s; 1 never succeeded" in page
    assert "2 cases stopped before that precision, with the interval reached" in page
    assert "± 24.7 %" in page
    assert page.index("no execution is ok") < page.index("the time budget was spent")
    assert [(case["stop_reason"], case["summary"]["relative_interval"], case["copy"]) for case in cases] == [
        ("reached", 0.009, 1), ("budget", 0.2468, 1), ("failing", None, 1),
    ]  # fmt: skip
    assert 'id="precision"' not in other
