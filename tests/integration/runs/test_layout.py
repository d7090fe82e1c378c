"""Layout: every execution once, in short transactions, and the same after a crash."""

from collections import Counter

import pytest
from sqlalchemy import delete, event, func, insert, select, update

from orchestrator.database.models import Agent, Build, Case, Execution, Job, Omission, Proof, Run, RunAgent, now
from orchestrator.runs.scheduling.lease import LEASE_DURATION
from orchestrator.runs.scheduling.repository import ROWS_PER_TRANSACTION
from tests.support.fleet import Fleet, plan


class TestLayOutNext:
    def test_layout_has_every_execution_once_in_a_job(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        order = fleet.order(run_id)
        assert [position for position, _, _ in order] == list(range(24))
        assert Counter((number, repetition) for _, number, repetition in order) == {
            (number, repetition): 1 for number in range(8) for repetition in (1, 2, 3)
        }
        jobs = fleet.jobs(run_id)
        assert len(jobs) > 1
        assert sum(job["executions_total"] for job in jobs) == 24
        assert {job["state"] for job in jobs} == {"waiting"}
        run = fleet.run(run_id)
        assert (run["state"], run["cases"], run["progress"]["waiting"]) == ("running", 8, 24)

    def test_priority_precedes_time_of_submission(self, fleet: Fleet) -> None:
        later = fleet.submit(priority=5)
        first = fleet.submit(priority=1)
        fleet.lay_out_next()
        assert [fleet.run(run_id)["state"] for run_id in (first, later)] == ["running", "planned"]

    def test_transactions_stay_short(self, fleet: Fleet) -> None:
        fleet.submit(repetitions=300)
        largest = []

        def note(_connection: object, _cursor: object, _text: str, rows: object, _context: object, many: bool) -> None:
            largest.append(len(rows) if many and isinstance(rows, list) else 1)

        event.listen(fleet.database.engine, "before_cursor_execute", note)
        fleet.lay_out_next()
        assert 100 < max(largest) <= ROWS_PER_TRANSACTION

    @pytest.mark.parametrize("left", ["cases", "half the executions"])
    def test_incomplete_layout_is_replaced_after_a_crash(self, fleet: Fleet, left: str) -> None:
        reference = fleet.order(fleet.lay_out(seed=11))
        run_id = fleet.lay_out(seed=11)
        with fleet.database.write() as session:
            keep = 12 if left == "half the executions" else 0
            some = select(Execution.id).where(Execution.run_id == run_id, Execution.position >= keep)
            session.execute(Execution.__table__.delete().where(Execution.id.in_(some)))  # type: ignore[attr-defined]
            crashed = {
                "state": "planned",
                "laid_out_at": None,
                "lease_token": "t",
                "lease_renewed_at": now() - LEASE_DURATION,
            }
            session.execute(update(Run).where(Run.id == run_id).values(**crashed))
            session.execute(update(RunAgent).where(RunAgent.run_id == run_id).values(laid_out_at=None))
        assert fleet.lay_out_next()
        assert fleet.order(run_id) == reference
        assert fleet.run(run_id)["state"] == "running"

    def test_run_waits_for_the_known_answers_of_a_new_build(self, fleet: Fleet) -> None:
        run_ids = {fleet.submit(), fleet.submit()}
        with fleet.database.write() as session:
            proofs = [row._asdict() for row in session.execute(select(*Proof.__table__.columns))]
            session.execute(delete(Proof))
            session.execute(update(Agent).values(state="preparing", activity="testing botan"))
        assert not fleet.lay_out_next()
        assert {fleet.run(run_id)["state"] for run_id in run_ids} == {"planned"}
        with fleet.database.write() as session:
            session.execute(insert(Proof), proofs)
        while fleet.lay_out_next():
            pass
        assert {fleet.run(run_id)["state"] for run_id in run_ids} == {"running"}

    def test_lease_of_a_working_scheduler_is_respected(self, fleet: Fleet) -> None:
        run_id = fleet.submit()
        with fleet.database.write() as session:
            busy = {"lease_token": "t", "lease_renewed_at": now()}
            session.execute(update(Run).where(Run.id == run_id).values(**busy))
        assert fleet.lay_out_next() is False
        assert fleet.run(run_id)["state"] == "planned"

    def test_run_that_no_agent_can_execute_fails_with_the_reason(self, fleet: Fleet) -> None:
        run_id = fleet.submit()
        fleet.execute(update(Build).values(current=False))
        fleet.lay_out_next()
        run = fleet.run(run_id)
        assert run["state"] == "failed"
        assert "has no runners yet" in run["reason"]

    def test_cancelled_run_is_not_laid_out(self, fleet: Fleet) -> None:
        run_id = fleet.submit()
        fleet.change(run_id, "cancel")
        assert fleet.lay_out_next() is False
        assert fleet.change(run_id, "resume")["state"] == "planned"
        assert fleet.lay_out_next() is True

    def test_omissions_are_stored(self, fleet: Fleet) -> None:
        matrix = plan()["matrix"][0] | {"providers": ["cryptopp", "openssl"]}
        run_id = fleet.lay_out(matrix=[matrix])
        (omission,) = fleet.submitter.get(f"/api/v1/runs/{run_id}/omissions").json()["items"]
        assert (omission["provider"], omission["reason"]) == ("openssl", "libssl-dev is not installed")
        assert omission["executions"] == 12
        with fleet.database.read() as session:
            assert session.scalar(select(func.count()).select_from(Omission)) == 1


class TestDatabaseRules:
    def test_duplicate_execution_is_rejected_by_the_database(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        with fleet.database.read() as session:
            job, case = session.scalars(select(Job)).first(), session.scalars(select(Case)).first()
        assert job is not None
        assert case is not None
        row = {"run_id": run_id, "case_id": case.id, "job_id": job.id, "repetition": 1, "position": 99}
        with pytest.raises(Exception, match=r"(?i)unique"), fleet.database.write() as session:
            session.execute(insert(Execution), [row])
