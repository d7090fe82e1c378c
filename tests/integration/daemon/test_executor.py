"""Jobs with real runners while the service is unreachable: each execution is measured once and stays in the journal."""

from collections import Counter
from contextlib import AbstractContextManager

import pytest

from orchestrator.daemon.jobs.journal import key_of
from orchestrator.daemon.session.active_job import StopReason
from orchestrator.wire.jobs import JobMessage
from tests.support.daemon_bench import CHUNK_SHA256, DaemonBench, a_job
from tests.support.waiting import acting_once


def stopped_in_the_middle(bench: DaemonBench, job: JobMessage, reason: StopReason) -> AbstractContextManager[None]:
    """Order the job to stop once three of its executions are finished."""

    def in_the_middle() -> bool:
        return any(held.done >= 3 for held in bench.status.snapshot().held)

    return acting_once(in_the_middle, "three executions", lambda: bench.status.order_stop(job.job_id, reason))


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
        digests = {record.case_id: record.ciphertext_sha256 for record in records}
        assert digests[3] == CHUNK_SHA256  # noop encrypts nothing
        assert len(set(digests.values())) == 3

    def test_repeated_job_executes_only_what_is_missing(self, bench: DaemonBench) -> None:
        first = a_job(bench.build, repetitions=2)
        bench.execute(first)
        before = {key_of(record): record.started_at for record in bench.records()}
        bench.journal.mark_delivered(bench.journal.waiting(1000).numbers)

        bench.execute(a_job(bench.build, repetitions=3))

        after = {key_of(record): record.started_at for record in bench.records()}
        assert len(after) == 9
        assert {key: after[key] for key in before} == before

    def test_cancelled_job_stops(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=2000)
        with stopped_in_the_middle(bench, job, "cancelled"):
            assert bench.execute(job) == "cancelled"

        assert 0 < len(bench.records()) < 1000
        assert {record.state for record in bench.records()} == {"ok"}

    def test_paused_job_keeps_its_records(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=2000)
        with stopped_in_the_middle(bench, job, "paused"):
            assert bench.execute(job) == "paused"

        assert 0 < len(bench.records()) < 1000


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
        connection = bench.journal._connection
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


class TestMessages:
    @pytest.mark.parametrize("body", [None, 7, "job", [], {}, {"version": 2}, {"args": [], "kwargs": {"a": 1}}])
    def test_invalid_job_is_acknowledged(self, bench: DaemonBench, body: object) -> None:
        assert bench.handler.handle(body) == "acknowledge"
        assert bench.status.snapshot().held == ()

    def test_job_of_another_agent_is_acknowledged(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=1, agent_id="zzzzzzzzzz99")

        assert bench.handler.handle(job.model_dump(mode="json")) == "acknowledge"
        assert bench.records() == []

    def test_job_is_executed_while_the_service_is_unreachable(self, bench: DaemonBench) -> None:
        job = a_job(bench.build, repetitions=2)

        assert bench.handler.handle(job.model_dump(mode="json")) == "acknowledge"
        assert len(bench.records()) == 6
        assert bench.status.snapshot().held == ()
