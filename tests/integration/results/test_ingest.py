from datetime import datetime

import pytest
from sqlalchemy import select

from orchestrator.database.models import Curve, Execution, Run
from orchestrator.results import ingest
from orchestrator.results.service import show_curve
from orchestrator.wire.records import Curve as CurveMessage
from orchestrator.wire.records import Failure, RecordBatch
from tests.integration.results.world import AGENT, CHUNK, World, record


def batch(*records: object) -> RecordBatch:
    return RecordBatch(records=list(records))  # type: ignore[arg-type]


class TestStore:
    def test_records_become_ok_executions_and_the_run_ends(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        answer = ingest.store(world.database, AGENT, batch(*(record(case_id, i) for i in range(1, 7))))
        assert (answer.stored, answer.known, answer.refused) == (6, 0, {})
        assert world.states(case_id) == ["ok"] * 6
        with world.database.read() as session:
            assert session.scalar(select(Run.state)) == "finished"

    def test_the_first_record_wins(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        ingest.store(world.database, AGENT, batch(record(case_id, work_wall_ns=111)))
        again = ingest.store(world.database, AGENT, batch(record(case_id, work_wall_ns=222), record(case_id, 2)))
        assert (again.stored, again.known) == (1, 1)
        with world.database.read() as session:
            query = select(Execution.work_wall_ns).where(Execution.case_id == case_id, Execution.repetition == 1)
            assert session.scalar(query) == 111

    def test_a_record_twice_in_one_batch_is_one_execution(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        answer = ingest.store(world.database, AGENT, batch(record(case_id), record(case_id)))
        assert (answer.stored, answer.known) == (1, 1)

    def test_a_wrong_ciphertext_is_no_measurement(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        good = [record(case_id, i) for i in range(1, 6)]
        slow = record(case_id, 6, state="wrong", encrypt_wall_ns=1)
        ingest.store(world.database, AGENT, batch(*good, slow))
        summary = world.summary(case_id)
        assert (summary.ok, summary.wrong) == (5, 1)
        assert summary.median_encrypt_bytes_per_second == pytest.approx(4e6)
        assert summary.low_encrypt_bytes_per_second is None  # five readings have no interval

    def test_what_cannot_be_right_is_refused_and_the_rest_is_stored(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        answer = ingest.store(
            world.database,
            AGENT,
            batch(
                record(case_id, 1, readings={"no_such_reading": 1}),
                record(case_id, 2, readings={"work_minor_faults": -4}),
                record(case_id, 3, input_bytes=len(CHUNK) + 1),
                record(case_id, 4, started_at=datetime(2026, 11, 20)),  # noqa: DTZ001  without a zone
                record(case_id, 5, work_wall_ns=2**63),
                record(case_id, 99),
                record(case_id + 1, 1),
                record(case_id, 6),
            ),
        )
        assert answer.stored == 1
        assert set(answer.refused) == {
            *(f"{case_id}/{i}/timing" for i in (1, 2, 3, 4, 5, 99)),
            f"{case_id + 1}/1/timing",
        }
        assert "no_such_reading" in answer.refused[f"{case_id}/1/timing"]
        assert world.states(case_id) == ["waiting"] * 5 + ["ok"]

    def test_another_agents_case_is_refused(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        answer = ingest.store(world.database, "agent0000002", batch(record(case_id)))
        assert answer.stored == 0
        assert "agent0000001" in answer.refused[f"{case_id}/1/timing"]

    def test_a_failure_keeps_its_reason_and_absent_readings_theirs(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        failure = Failure(error="runner-crashed", detail="signal 11", signal=11, stderr_tail="boom")
        failed = record(case_id, state="failed", failure=failure, work_wall_ns=None, ciphertext_sha256=None)
        absent = record(case_id, 2, readings={"encrypt_cycles": None}, absent={"encrypt_cycles": "no PMU"})
        ingest.store(world.database, AGENT, batch(failed, absent))
        with world.database.read() as session:
            first, second = session.scalars(
                select(Execution).where(Execution.case_id == case_id).order_by(Execution.repetition).limit(2)
            )
        assert first.failure is not None
        assert (first.state, first.failure["signal"], first.work_wall_ns) == ("failed", 11, None)
        assert second.readings is not None
        assert second.readings["absent"] == {"encrypt_cycles": "no PMU"}

    def test_a_curve_comes_back_as_it_was_sent(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        curve = CurveMessage(at_ns=[0, 10, 20], rss_bytes=[4096, 8192, 8192], cpu_ns=[0, 0, 10], threads=[])
        ingest.store(world.database, AGENT, batch(record(case_id, curve=curve)))
        with world.database.read() as session:
            stored = session.scalars(select(Curve)).one()
        shown = show_curve(world.database, stored.execution_id)
        assert (shown.at_ns, shown.rss_bytes, shown.cpu_ns) == (curve.at_ns, curve.rss_bytes, curve.cpu_ns)
        assert shown.threads == []
