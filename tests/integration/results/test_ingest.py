import math
from datetime import datetime

import pytest
from sqlalchemy import select

from orchestrator.database.models import Curve, Execution, Run
from orchestrator.results.service import get_curve, get_execution, get_timings
from orchestrator.shared.errors import NotFound
from orchestrator.wire.records import CurveSamples as CurveMessage
from orchestrator.wire.records import Failure, TimingSeries
from tests.support.result_world import CHUNK, World, latency_record, record


class TestStore:
    def test_records_become_ok_executions_and_the_run_ends(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        answer = world.store(*(record(case_id, i) for i in range(1, 7)))
        assert (answer.stored, answer.known, answer.refused) == (6, 0, {})
        assert world.states(case_id) == ["ok"] * 6
        with world.database.read() as session:
            assert session.scalar(select(Run.state)) == "finished"

    def test_the_first_record_wins(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        world.store(record(case_id, work_wall_ns=111))
        again = world.store(record(case_id, work_wall_ns=222), record(case_id, 2))
        assert (again.stored, again.known) == (1, 1)
        with world.database.read() as session:
            query = select(Execution.work_wall_ns).where(Execution.case_id == case_id, Execution.repetition == 1)
            assert session.scalar(query) == 111

    def test_a_record_twice_in_one_batch_is_one_execution(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        answer = world.store(record(case_id), record(case_id))
        assert (answer.stored, answer.known) == (1, 1)

    def test_wrong_ciphertext_counts_in_no_statistic(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        good = [record(case_id, i) for i in range(1, 6)]
        slow = record(case_id, 6, state="wrong", encrypt_wall_ns=1)
        world.store(*good, slow)
        summary = world.summary(case_id)
        assert (summary.ok, summary.wrong) == (5, 1)
        assert (summary.phases or {})["encrypt"]["median_bytes_per_second"] == pytest.approx(4e6)
        assert (summary.phases or {})["encrypt"]["low_bytes_per_second"] is None  # five readings have no interval

    def test_reading_names_its_meter(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        readings = {"energy_joules": 2.5, "work_minor_faults": 4}
        one = record(case_id, readings=readings, provenance={"energy_joules": "rapl package-0: energy_uj, unwrapped"})
        world.store(one)
        with world.database.read() as session:
            execution_id = session.scalar(select(Execution.id).where(Execution.state == "ok"))
        assert execution_id is not None
        shown = {reading.name: reading for reading in world.read(get_execution, execution_id).readings}
        assert set(shown) >= set(readings)
        assert "provenance" not in shown
        assert shown["energy_joules"].source == "rapl package-0: energy_uj, unwrapped"
        assert shown["work_minor_faults"].source.startswith("runner: getrusage")

    def test_invalid_records_are_refused_and_others_stored(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        answer = world.store(
            record(case_id, 1, readings={"no_such_reading": 1}),
            record(case_id, 2, readings={"work_minor_faults": -4}),
            record(case_id, 3, input_bytes=len(CHUNK) + 1),
            record(case_id, 4, started_at=datetime(2026, 11, 20)),  # noqa: DTZ001  without a zone
            record(case_id, 5, work_wall_ns=2**63),
            record(case_id, 99),
            record(case_id + 1, 1),
            record(case_id, 6),
        )
        assert answer.stored == 1
        assert set(answer.refused) == {
            *(f"{case_id}/{i}/timing" for i in (1, 2, 3, 4, 5, 99)),
            f"{case_id + 1}/1/timing",
        }
        assert "no_such_reading" in answer.refused[f"{case_id}/1/timing"]
        assert world.states(case_id) == ["waiting"] * 5 + ["ok"]

    def test_failures_and_absent_readings_keep_their_reasons(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        failure = Failure(error="runner-crashed", detail="signal 11", signal=11, stderr_tail="boom")
        failed = record(case_id, state="failed", failure=failure, work_wall_ns=None, output_sha256=None)
        absent = record(case_id, 2, readings={"encrypt_cycles": None}, absent={"encrypt_cycles": "no PMU"})
        world.store(failed, absent)
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
        world.store(record(case_id, curve=curve))
        with world.database.read() as session:
            stored = session.scalars(select(Curve)).one()
        shown = world.read(get_curve, stored.execution_id)
        assert (shown.at_ns, shown.rss_bytes, shown.cpu_ns) == (curve.at_ns, curve.rss_bytes, curve.cpu_ns)
        assert shown.threads == []


class TestTimedCalls:
    def test_times_of_one_call_and_every_timing_are_stored(self, world: World) -> None:
        case_id = world.time_calls({"own": {}})["own"]
        records = [latency_record(case_id, i, 400.0 + i) for i in range(1, 7)]
        answer = world.store(*records)
        assert (answer.stored, answer.refused) == (6, {})
        summary = world.summary(case_id)
        assert (summary.median_call_wall_ns, summary.low_call_wall_ns, summary.high_call_wall_ns) == (403.5, 401, 406)
        assert (summary.median_call_cpu_ns, summary.median_cold_call_wall_ns) == (390.0, 5000.0)
        assert summary.phases is None
        with world.database.read() as session:
            first = session.scalars(select(Execution).where(Execution.repetition == 1)).one()
        shown = world.read(get_timings, first.id)
        assert (first.call_wall_ns, first.work_wall_ns) == (401.0, None)
        assert (shown.wall_ns, shown.cycles, shown.core_clock_hz) == ([401_000] * 3, [None] * 3, [3e9, None, 3e9])

    def test_the_first_key_setup_is_the_cold_one_of_a_key_setup(self, world: World) -> None:
        case_id = world.time_calls({"own": {"operation": "key-setup", "message_bytes": 0}})["own"]
        world.store(latency_record(case_id, output_sha256=None))
        assert world.summary(case_id).median_cold_call_wall_ns == 7000.0

    def test_an_impossible_timing_is_wrong_and_in_no_statistic(self, world: World) -> None:
        case_id = world.time_calls({"own": {}})["own"]
        failure = Failure(error="impossible-timing", detail="3 of 3 timings took fewer cycles")
        wrong = latency_record(case_id, 6, 1.0, state="wrong", failure=failure)
        world.store(*(latency_record(case_id, i) for i in range(1, 6)), wrong)
        summary = world.summary(case_id)
        assert (summary.ok, summary.wrong, summary.median_call_wall_ns) == (5, 1, 400.0)

    def test_record_that_contradicts_its_case_is_refused(self, world: World) -> None:
        cases = world.time_calls({"encrypt": {}, "decrypt": {"operation": "decrypt"}})
        process = world.run(["own"], run_id="run000000002")["own"]
        longer = latency_record(1).timings
        assert longer is not None
        answer = world.store(
            record(cases["encrypt"], 1, input_bytes=None),
            latency_record(cases["encrypt"], 2, output_sha256=None),
            latency_record(cases["encrypt"], 3).model_copy(update={"call_wall_ns": math.inf}),
            latency_record(cases["encrypt"], 4, timings=_first(longer, 2)),
            latency_record(cases["encrypt"], 5, timings=longer.model_copy(update={"wall_ns": [2**63] * 3})),
            latency_record(cases["decrypt"], 1),
            latency_record(process, 1),
        )
        assert answer.stored == 0
        words = list(answer.refused.values())
        assert sorted(words) == sorted(
            [
                "it has no timings, the case's protocol is latency",
                "output_sha256 is None, the case's operation is encrypt",
                "call_wall_ns is inf, expected a finite number",
                "it has 2 timings, expected 3",
                "its curve or its timings cannot be encoded: a value must be 0 or more and less than 2**63, seen "
                "9223372036854775808 to 9223372036854775808",
                f"output_sha256 is {'e' * 64}, the case's operation is decrypt",
                "it has timings, the case's protocol is process",
            ]
        )

    def test_a_curve_that_cannot_be_stored_is_refused_alone(self, world: World) -> None:
        # It ended the whole batch with a 500, and the daemon sent the same batch for ever.
        case_id = world.run(["own"])["own"]
        curve = CurveMessage(at_ns=[2**63])
        answer = world.store(record(case_id, 1, curve=curve), record(case_id, 2))
        assert (answer.stored, list(answer.refused)) == (1, [f"{case_id}/1/timing"])

    def test_process_execution_has_no_timings(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        world.store(record(case_id))
        with world.database.read() as session:
            execution_id = session.scalars(select(Execution.id).where(Execution.state == "ok")).one()
        with pytest.raises(NotFound, match="its protocol is process"):
            world.read(get_timings, execution_id)


def _first(timings: TimingSeries, count: int) -> TimingSeries:
    return TimingSeries.model_validate({name: getattr(timings, name)[:count] for name in TimingSeries.model_fields})
