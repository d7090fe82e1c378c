"""Jobs with real runners while the service is unreachable: each execution is measured once and stays in the journal."""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from orchestrator.compilation.installed import InstalledBuild, load_build
from orchestrator.compilation.native.build import install_prebuilt
from orchestrator.compilation.proofs import prove
from orchestrator.compilation.proved import ProvedBuild
from orchestrator.daemon.builds.builder import DefaultBuild
from orchestrator.daemon.jobs.chunk_cache import MAX_BYTES
from orchestrator.daemon.jobs.journal.journal import key_of
from orchestrator.daemon.session.active_job import StopReason
from orchestrator.measurement.instrument.measure import InstrumentPlan
from orchestrator.shared.free_space import shortage
from orchestrator.wire.jobs import JobMessage
from tests.support.daemon_bench import CHUNK_SHA256, DaemonBench, a_job, a_latency_job, daemon_bench
from tests.support.job_records import record
from tests.support.processes import below, kill_a_launcher, kill_a_runner, touch_a_program_at_work
from tests.support.seldom import seldom
from tests.support.small_disk import small_disk
from tests.support.waiting import acting_once

LIBRARY = "botan"
"""A runner with 34 implementations, which are proved in a tenth of a second; our own has 544."""


def in_the_middle(bench: DaemonBench) -> bool:
    """Return whether three executions of the job are finished."""
    return any(held.done >= 3 for held in bench.status.snapshot().held)


def long_runners(bench: DaemonBench) -> JobMessage:
    """Return a job whose runners work for 60 ms and more, long enough for another process to find one."""
    return a_latency_job(bench.build, repetitions=10, min_timing_ms=20)


def stopped_in_the_middle(bench: DaemonBench, job: JobMessage, reason: StopReason) -> AbstractContextManager[None]:
    """Order the job to stop once three of its executions are finished."""

    order = partial(bench.status.order_stop, job.job_id, reason)
    return acting_once(lambda: in_the_middle(bench), "three executions", order)


def is_waiting(bench: DaemonBench) -> bool:
    """Return whether the running job reports that it waits."""
    return " waits: " in bench.status.snapshot().activity


class TestExecute:
    def test_every_execution_is_measured_once_and_verified(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=4)

        assert bench.execute(job) == "done"

        records = bench.records()
        assert [key_of(record) for record in records] == [key_of(execution) for execution in job.executions]
        assert {record.state for record in records} == {"ok"}
        digests = {record.case_id: record.output_sha256 for record in records}
        assert digests[3] == CHUNK_SHA256  # noop encrypts nothing
        assert len(set(digests.values())) == 3

    def test_repeated_job_executes_only_what_is_missing(self, bench: DaemonBench) -> None:
        first = a_job(bench.build, repetitions=2)
        bench.execute(first)
        before = {key_of(record): record.started_at for record in bench.records()}
        bench.journal.mark_delivered(bench.journal.waiting(1000))

        bench.execute(a_job(bench.build, repetitions=3))

        after = {key_of(record): record.started_at for record in bench.records()}
        assert len(after) == 9
        assert {key: after[key] for key in before} == before

    @pytest.mark.parametrize("reason", ["cancelled", "paused"])
    def test_stopped_job_keeps_its_records(self, bench: DaemonBench, reason: StopReason) -> None:
        job = a_job(bench.build, repetitions=2000)
        with stopped_in_the_middle(bench, job, reason):
            assert bench.execute(job) == reason

        assert 0 < len(bench.records()) < 1000
        assert {record.state for record in bench.records()} == {"ok"}


def test_slow_sensor_has_the_machine_between_two_runners(bench: DaemonBench) -> None:
    """The launcher starts runners itself: none may work, or be about to, while something else has the machine."""
    working: list[bool] = []

    def look() -> None:
        with bench.delivery.measuring:
            working.append(bool(list(below("ciphermark-own"))))

    job = a_job(bench.build, repetitions=100)
    with acting_once(lambda: in_the_middle(bench), "three executions", look):
        assert bench.execute(job) == "done"

    assert working == [False]
    assert {record.state for record in bench.records()} == {"ok"}


class TestInfrastructure:
    """Regression: executions were `failed` because their launcher or runner had been killed from outside (S13)."""

    @pytest.mark.long
    def test_execution_is_repeated_if_its_program_changed_during_it(self, bench: DaemonBench) -> None:
        """Regression: between the comparison of the program and its start, an altered one could be executed."""
        program = bench.build.programs["own"]
        job = long_runners(bench)
        with acting_once(lambda: touch_a_program_at_work(program), "a runner at work", lambda: None):
            assert bench.execute(job) == "done"

        records = bench.records()
        assert [record.failure for record in records if record.failure] == []
        assert Counter(record.state for record in records) == {"ok": 30}
        (repeated,) = [record for record in records if record.earlier_attempts]
        (earlier,) = repeated.earlier_attempts
        assert earlier.failure.error == "file-changed"
        assert "ciphermark-own" in earlier.failure.detail

    @pytest.mark.parametrize("kill", [kill_a_runner, *seldom(kill_a_launcher)])
    def test_execution_is_repeated_after_a_kill_from_outside(
        self, bench: DaemonBench, kill: Callable[[], bool]
    ) -> None:
        job = long_runners(bench)
        with acting_once(kill, "a kill", lambda: None):
            assert bench.execute(job) == "done"

        records = bench.records()
        assert [record.failure for record in records if record.failure] == []
        assert Counter(record.state for record in records) == {"ok": 30}
        (repeated,) = [record for record in records if record.earlier_attempts]
        (earlier,) = repeated.earlier_attempts
        assert earlier.started_at < repeated.started_at
        expected = "launch-failed" if kill is kill_a_launcher else "runner-killed"
        assert earlier.failure.error == expected

    def test_repeated_infrastructure_failure_is_recorded_with_all_attempts(
        self, tmp_path: Path, build: InstalledBuild, instrument_plan: InstrumentPlan
    ) -> None:
        plan = replace(instrument_plan, launcher=tmp_path / "absent")
        with daemon_bench(tmp_path, build, plan) as bench:
            job = a_job(bench.build, repetitions=1)
            assert bench.execute(job.model_copy(update={"executions": job.executions[:1]})) == "done"
            (record,) = bench.records()
        assert record.failure is not None
        assert [one.failure.error for one in record.earlier_attempts] == ["launch-failed"] * 3
        assert (record.state, record.failure.error) == ("failed", "launch-failed")


def test_job_deletes_chunks_that_were_not_used_for_long(bench: DaemonBench) -> None:
    other = bench.chunks.path("ab" * 32)
    other.parent.mkdir()
    with other.open("wb") as file:
        file.truncate(MAX_BYTES)  # sparse
    os.utime(other, (0, 0))
    assert bench.execute(a_job(bench.build, repetitions=1)) == "done"
    assert not other.exists()
    assert {record.state for record in bench.records()} == {"ok"}


@pytest.fixture(scope="module")
def few_programs(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the launcher and one runner of few implementations: each build proves all again."""
    folder = tmp_path_factory.mktemp("few")
    for name in ("ciphermark-launcher", f"ciphermark-{LIBRARY}"):
        if not (programs / name).exists():
            pytest.skip(f"{LIBRARY} is not installed here")
        shutil.copy(programs / name, folder)
    return folder


def installed(programs: Path, cache: Path) -> DefaultBuild:
    """Return the build of prebuilt programs, which is made again from them."""
    build = install_prebuilt(programs, cache)
    return DefaultBuild(
        ProvedBuild(build, prove(build, lambda _: None)), None, lambda _: install_prebuilt(programs, cache)
    )


class TestDamagedPrograms:
    """Regression: a runner deleted in mid-run was not made again: 226 of 900 executions failed (S6)."""

    @pytest.mark.parametrize(
        "damage", ["altered", *seldom("build removed", "removed", "not executable", "launcher removed")]
    )
    def test_damaged_program_is_made_again_within_the_job(
        self, tmp_path: Path, few_programs: Path, instrument_plan: InstrumentPlan, damage: str
    ) -> None:
        cache = tmp_path / "cache"
        default = installed(few_programs, cache)
        build = default.proved.build
        plan = replace(instrument_plan, launcher=build.launcher)
        program = build.programs[LIBRARY]

        def do_damage() -> None:
            if damage == "removed":
                program.unlink()
            elif damage == "altered":
                program.unlink()
                program.write_bytes(b"#!/bin/sh\nexit 0\n")
                program.chmod(0o755)
            elif damage == "not executable":
                program.chmod(0o644)
            elif damage == "launcher removed":
                build.launcher.unlink()
                kill_a_launcher()
            else:
                shutil.rmtree(build.folder)

        job = a_job(build, repetitions=20, provider=LIBRARY)
        with daemon_bench(tmp_path, build, plan, default) as bench:
            with acting_once(lambda: in_the_middle(bench), "three executions", do_damage):
                assert bench.execute(job) == "done"
            records = bench.records()
        assert [record.failure for record in records if record.failure] == []
        assert len(records) == 60
        assert load_build(cache, build.build_key) is not None

    def test_damage_before_the_job_is_noticed(
        self, tmp_path: Path, few_programs: Path, instrument_plan: InstrumentPlan
    ) -> None:
        """The build was verified by an earlier job: the look is for each program, not for the build."""
        cache = tmp_path / "cache"
        default = installed(few_programs, cache)
        build = default.proved.build
        with daemon_bench(tmp_path, build, instrument_plan, default) as bench:
            bench.execute(a_job(build, repetitions=1, provider=LIBRARY))
            build.programs[LIBRARY].unlink()
            assert bench.execute(a_job(build, repetitions=2, provider=LIBRARY)) == "done"
            records = bench.records()
        assert Counter(record.state for record in records) == {"ok": 6}
        # The launcher next to the program was made again, too: that is no change during an execution.
        assert [one for record in records for one in record.earlier_attempts] == []

    def test_build_that_has_no_room_is_made_again_when_there_is_some(
        self, tmp_path: Path, few_programs: Path, instrument_plan: InstrumentPlan
    ) -> None:
        """Regression: 28 executions of a soak test failed as `build-missing` because the disk was full."""
        seen: list[str] = []
        with small_disk(tmp_path / "disk", 160) as disk:
            default = installed(few_programs, disk.folder / "cache")
            with daemon_bench(tmp_path, default.proved.build, instrument_plan, default) as bench:
                shutil.rmtree(bench.build.folder)
                disk.fill(leave_bytes=4096)

                def make_room() -> None:
                    seen.append(bench.status.snapshot().activity)
                    disk.empty()

                with acting_once(lambda: is_waiting(bench), "the job that waits for room", make_room):
                    assert bench.execute(a_job(bench.build, repetitions=2, provider=LIBRARY)) == "done"
                states = Counter(record.state for record in bench.records())
        assert "A build cannot be stored: No space left on device." in seen[0]
        assert states == {"ok": 6}


class TestAdmission:
    def test_unproved_implementation_is_not_measured(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=1)
        cases = [case.model_dump() for case in job.cases]
        cases[0]["variant"] = "unproved"
        altered = a_job(bench.build, repetitions=1, cases=cases)

        bench.execute(altered)

        bad, *others = bench.records()
        assert bad.failure is not None
        assert bad.failure.error == "known-answers-failed"
        assert bad.process_wall_ns is None
        assert {record.state for record in others} == {"ok"}

    def test_missing_build_fails_its_executions(self, bench: DaemonBench) -> None:
        cases = [case.model_dump() | {"build_key": "ee" * 32} for case in a_job(bench.build, 1).cases]

        bench.execute(a_job(bench.build, repetitions=1, cases=cases))

        assert Counter(r.failure.error for r in bench.records() if r.failure) == {"build-missing": 3}


class TestChunks:
    def test_damaged_chunk_is_never_measured(self, bench: DaemonBench) -> None:
        """The service is unreachable, so the damaged chunk cannot be downloaded: the job waits until it is stopped."""
        path = bench.chunks.path(CHUNK_SHA256)
        path.write_bytes(b"!" + path.read_bytes()[1:])
        job = a_job(bench.build, repetitions=1)
        with acting_once(lambda: is_waiting(bench), "the job that waits for its chunk", bench.status.shut_down):
            assert bench.execute(job) == "shutdown"

        assert bench.records() == []

    def test_chunk_with_an_unexpected_length_fails(self, bench: DaemonBench) -> None:
        cases = [case.model_dump() | {"chunk_bytes": 7} for case in a_job(bench.build, 1).cases]

        bench.execute(a_job(bench.build, repetitions=1, cases=cases))

        assert {record.failure.error for record in bench.records() if record.failure} == {"chunk-damaged"}


class TestFullDisk:
    def test_job_waits_for_room_and_loses_no_record(self, bench: DaemonBench) -> None:
        """SQLite's page limit simulates a full disk; it is removed while the job waits."""
        connection = bench.journal.connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        job = a_job(bench.build, repetitions=8)
        seen: list[str] = []

        def make_room() -> None:
            snapshot = bench.status.snapshot()
            seen.append(f"{snapshot.state}: {snapshot.activity}")
            connection.execute("PRAGMA max_page_count = 100000")

        with acting_once(lambda: is_waiting(bench), "the job that waits for room", make_room):
            assert bench.execute(job) == "done"

        assert seen[0].startswith("refusing: job 9 waits: ")
        assert "cannot be written" in seen[0]
        assert len(bench.records()) == 24
        assert {record.state for record in bench.records()} == {"ok"}

    def test_no_job_begins_on_a_nearly_full_disk(
        self, tmp_path: Path, build: InstalledBuild, instrument_plan: InstrumentPlan
    ) -> None:
        job, seen = a_job(build, repetitions=1), list[str]()
        with daemon_bench(tmp_path, build, instrument_plan, min_free_mib=10**9) as bench:

            def end() -> None:
                seen.append(bench.status.snapshot().activity)
                bench.status.shut_down()

            with acting_once(lambda: is_waiting(bench), "the job that waits for room", end):
                assert bench.handler.handle(job.model_dump(mode="json")) == "requeue"
            assert bench.records() == []
        assert "MiB free; new work needs 1000000000 MiB" in seen[0]

    def test_journal_gives_up_delivered_records_for_new_work(
        self, tmp_path: Path, build: InstalledBuild, instrument_plan: InstrumentPlan
    ) -> None:
        """Regression: a device whose own journal had filled the disk waited for its owner to make room."""
        with (
            small_disk(tmp_path / "disk", 24) as disk,
            daemon_bench(disk.folder, build, instrument_plan, min_free_mib=16) as bench,
        ):
            for number in range(1000, 2000):
                bench.journal.add(record(number, stderr_tail="x" * 8000))
                bench.journal.mark_delivered(bench.journal.waiting(1))
            shown = shortage(disk.folder, 16)
            job = a_job(bench.build, repetitions=1)

            assert bench.handler.handle(job.model_dump(mode="json")) == "acknowledge"
            assert shown is not None
            assert {found.job_id for found in bench.records()} == {job.job_id}

    def test_no_job_begins_while_the_journal_cannot_be_written(self, bench: DaemonBench) -> None:
        connection = bench.journal.connection
        connection.execute("PRAGMA query_only = 1")
        job = a_job(bench.build, repetitions=1)

        def permit() -> None:
            connection.execute("PRAGMA query_only = 0")

        with acting_once(lambda: is_waiting(bench), "the job that waits for its journal", permit):
            assert bench.handler.handle(job.model_dump(mode="json")) == "acknowledge"
        assert len(bench.records()) == 3


class TestLostJournal:
    def test_executions_that_the_service_has_are_not_made_again(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=2)
        context = replace(bench.context(job), recorded=frozenset({0, 3}))
        with bench.status.accept(job.job_id) as active:
            active.start(2)
            assert bench.executor.execute(context, active) == "done"
        assert [record.position for record in bench.records()] == [1, 2, 4, 5]


class TestMessages:
    @pytest.mark.parametrize("body", [None, 7, "job", [], {}, {"version": 2}, {"args": [], "kwargs": {"a": 1}}])
    def test_invalid_job_is_acknowledged(self, bench: DaemonBench, body: object) -> None:
        assert bench.handler.handle(body) == "acknowledge"
        assert bench.status.snapshot().held == ()

    def test_job_of_another_agent_is_acknowledged(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=1, agent_id="zzzzzzzzzz99")

        assert bench.handler.handle(job.model_dump(mode="json")) == "acknowledge"
        assert bench.records() == []
