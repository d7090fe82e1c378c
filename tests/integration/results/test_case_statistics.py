"""Statistics of a case by the purpose of its executions."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from orchestrator.database.models import Execution, now
from orchestrator.results.answers import readings
from orchestrator.results.service import list_executions_of_case
from tests.support.result_world import AGENT, CHUNK, CHUNK_SHA256, World, latency_record, record

TIMING = 8


def add_executions(world: World, case_id: int, purpose: str, repetitions: int) -> None:
    """Lay out further executions of a case for another purpose."""
    with world.database.write() as session:
        like = session.scalars(select(Execution).where(Execution.case_id == case_id)).first()
        assert like is not None
        session.add_all(
            Execution(run_id=like.run_id, case_id=case_id, job_id=like.job_id, repetition=repetition,
                      position=100 + repetition, purpose=purpose)
            for repetition in range(1, repetitions + 1)
        )  # fmt: skip


class TestPurposes:
    def test_each_purpose_gives_its_own_figures(self, world: World) -> None:
        case_id = world.run(["own"], repetitions=TIMING)["own"]
        for purpose, repetitions in (("warm-up", 2), ("memory", 3), ("energy", 1)):
            add_executions(world, case_id, purpose, repetitions)
        slow: dict[str, Any] = {"encrypt_wall_ns": 9_000_000, "work_wall_ns": 20_000_000}
        energy: dict[str, Any] = {"energy_joules": 6.0, "energy_window_ns": 10**9, "energy_executions": 3,
                  "energy_per_execution_joules": 2.0, "energy_per_byte_joules": 2.0 / 4096}  # fmt: skip
        world.store(
            *(record(case_id, i, readings={"cycles_per_instruction": 0.4}) for i in range(1, TIMING)),
            record(case_id, TIMING, work_wall_ns=40_000_000),
            *(record(case_id, i, purpose="warm-up", disturbances=["migrated"], **slow) for i in (1, 2)),
            *(record(case_id, i, purpose="memory", peak_rss_bytes=650_000, **slow) for i in (1, 2, 3)),
            record(case_id, 1, purpose="energy", readings=energy, peak_rss_bytes=10**9, **slow),
        )
        kept = world.summary(case_id)
        assert (kept.ok, kept.warm_ups, kept.disturbed, kept.outliers) == (TIMING + 3 + 1, 2, 0, 1)
        assert (kept.phases or {})["encrypt"]["median_bytes_per_second"] == pytest.approx(4e6)
        assert (kept.median_work_wall_ns, kept.median_peak_rss_bytes) == (2_000_000, 650_000)
        assert kept.median_cycles_per_instruction == pytest.approx(0.4)
        assert kept.median_energy_per_execution_joules == pytest.approx(2.0)
        assert kept.median_energy_per_byte_joules == pytest.approx(2.0 / 4096)

    def test_memory_falls_back_to_timing_executions(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        world.store(record(case_id, 1))
        kept = world.summary(case_id)
        assert kept.median_peak_rss_bytes == 700_000
        assert (kept.relative_interval, kept.median_energy_per_byte_joules) == (None, None)

    def test_the_spread_is_that_of_the_headline(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        walls_ns = [100_000_000 + 1_000_000 * step for step in range(6)]
        world.store(*(record(case_id, i, work_wall_ns=wall, process_wall_ns=wall + 1)
                       for i, wall in enumerate(walls_ns, start=1)))  # fmt: skip
        kept = world.summary(case_id)
        assert (kept.mad_work_wall_ns, kept.mad_call_wall_ns) == (1_500_000, None)
        assert kept.relative_interval == pytest.approx(2.5 / 102.5)

    def test_calls_have_their_own_statistics(self, world: World) -> None:
        case_id = world.time_calls({"seal": {}}, repetitions=7)["seal"]
        calls_ns = [400.0, 401.0, 402.0, 399.0, 398.0, 400.0, 4000.0]
        world.store(*(latency_record(case_id, i, call_ns) for i, call_ns in enumerate(calls_ns, start=1)))
        kept = world.summary(case_id)
        assert (kept.outliers, kept.mad_call_wall_ns, kept.mad_work_wall_ns) == (1, 1.0, None)


class TestOperationsWithoutMessage:
    """A key generation takes the same time whatever the length of a message is."""

    OPERATIONS = {"operation": "key-generation+sign", "message_operations": "sign", "algorithm": "ed25519",
                  "provider": "own", "variant": "ref", "protocol": "process", "input_kind": "random",
                  "message_bytes": len(CHUNK), "input_sha256": CHUNK_SHA256}  # fmt: skip

    def store_pairs(self, world: World) -> int:
        """Store six records of a key generation that takes 2 ms and a signature of 4096 bytes that takes 1 ms."""
        case_id = world.lay_out({"pair": self.OPERATIONS})["pair"]
        phases = {"key_generation": 2_000_000, "sign": 1_000_000}
        world.store(*(
            record(case_id, i, work_wall_ns=4_000_000).model_copy(update={"phase_wall_ns": phases})
            for i in range(1, 7)
        ))  # fmt: skip
        return case_id

    def test_they_have_a_time_and_no_throughput(self, world: World) -> None:
        case_id = self.store_pairs(world)
        phases = world.summary(case_id).phases or {}
        (first, *_), _ = world.read(list_executions_of_case, case_id, 0, 10)
        assert {one.phase: one.bytes_per_second for one in first.phases} == {"key_generation": None, "sign": 4_096_000}
        assert {phase: (of["median_wall_ns"], of["median_bytes_per_second"]) for phase, of in phases.items()} == {
            "key_generation": (2_000_000, None), "sign": (1_000_000, 4_096_000),
        }  # fmt: skip

    def test_they_are_ranked_by_time(self, world: World) -> None:
        self.store_pairs(world)
        with world.database.read() as session:
            found = readings.load(session, "run000000001")
        assert [one for one in found.measures() if one.startswith(("key-generation", "sign"))] == [
            "key-generation-time", "key-generation-cpu", "sign", "sign-cpu",
        ]  # fmt: skip
        assert (len(found.candidates("key-generation")), len(found.candidates("key-generation-time"))) == (0, 1)


class TestTrend:
    def test_slowdown_of_a_run_is_found_with_its_duration(self, world: World) -> None:
        case_id = world.run(["own"], repetitions=20)["own"]
        begin = now() - timedelta(hours=3)
        world.store(*(record(case_id, i, work_wall_ns=round(2e6 * 1.01**i), process_wall_ns=10**7,
                              started_at=begin + timedelta(hours=i / 10)) for i in range(1, 21)))  # fmt: skip
        with world.database.read() as session:
            found = readings.load(session, "run000000001").trend(AGENT, "encrypt")
        assert found is not None
        assert found.hours == pytest.approx(1.9, rel=0.01)
        assert found.per_hour == pytest.approx(1.01**10 - 1, rel=0.01)
