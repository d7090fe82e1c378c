"""Jobs with real runners while the service is away: everything is measured once, and waits in the journal."""

from collections import Counter
from contextlib import AbstractContextManager

import pytest

from orchestrator.daemon.jobs.journal import key_of
from orchestrator.daemon.session.status import StopReason
from orchestrator.wire.jobs import JobMessage
from tests.support.daemon_bench import CHUNK_SHA256, Workshop, a_job
from tests.support.waiting import acting_once


def stopped_in_the_middle(workshop: Workshop, job: JobMessage, reason: StopReason) -> AbstractContextManager[None]:
    """Order the job to stop once three of its executions are finished."""

    def in_the_middle() -> bool:
        return any(held.done >= 3 for held in workshop.status.snapshot().held)

    return acting_once(in_the_middle, "three executions", lambda: workshop.status.order_stop(job.job_id, reason))


def is_waiting(workshop: Workshop) -> bool:
    """Tell whether the job in work reports that it waits."""
    return " waits: " in workshop.status.snapshot().activity


class TestExecute:
    def test_every_execution_is_measured_once_and_verified(self, workshop: Workshop) -> None:
        job = a_job(workshop.build, repetitions=4)

        assert workshop.executor.execute(workshop.context(job)) == "done"

        records = workshop.records()
        assert [key_of(record) for record in records] == [key_of(execution) for execution in job.executions]
        assert {record.state for record in records} == {"ok"}
        digests = {record.case_id: record.ciphertext_sha256 for record in records}
        assert digests[3] == CHUNK_SHA256  # noop encrypts nothing
        assert len(set(digests.values())) == 3

    def test_a_job_that_arrives_again_executes_what_is_missing(self, workshop: Workshop) -> None:
        first = a_job(workshop.build, repetitions=2)
        workshop.executor.execute(workshop.context(first))
        before = {key_of(record): record.started_at for record in workshop.records()}
        workshop.journal.mark_delivered(workshop.journal.waiting(1000).numbers)

        workshop.executor.execute(workshop.context(a_job(workshop.build, repetitions=3)))

        after = {key_of(record): record.started_at for record in workshop.records()}
        assert len(after) == 9
        assert {key: after[key] for key in before} == before

    def test_a_cancelled_job_stops_within_seconds(self, workshop: Workshop) -> None:
        job = a_job(workshop.build, repetitions=2000)
        workshop.status.hold(job.job_id, 1)
        with stopped_in_the_middle(workshop, job, "cancelled"):
            assert workshop.executor.execute(workshop.context(job)) == "cancelled"

        assert 0 < len(workshop.records()) < 1000
        assert {record.state for record in workshop.records()} == {"ok"}

    def test_a_paused_job_keeps_what_is_done(self, workshop: Workshop) -> None:
        job = a_job(workshop.build, repetitions=2000)
        workshop.status.hold(job.job_id, 1)
        with stopped_in_the_middle(workshop, job, "paused"):
            assert workshop.executor.execute(workshop.context(job)) == "paused"

        assert 0 < len(workshop.records()) < 1000


class TestGate:
    def test_an_implementation_that_was_never_proved_is_not_timed(self, workshop: Workshop) -> None:
        job = a_job(workshop.build, repetitions=1)
        cases = [case.model_dump() for case in job.cases]
        cases[0]["variant"] = "unproved"
        altered = a_job(workshop.build, repetitions=1, cases=cases)

        workshop.executor.execute(workshop.context(altered))

        bad, *others = workshop.records()
        assert bad.failure is not None
        assert bad.failure.error == "known-answers-failed"
        assert bad.process_wall_ns is None
        assert {record.state for record in others} == {"ok"}

    def test_a_build_that_is_not_here_fails_its_executions(self, workshop: Workshop) -> None:
        cases = [case.model_dump() | {"build_key": "ee" * 32} for case in a_job(workshop.build, 1).cases]

        workshop.executor.execute(workshop.context(a_job(workshop.build, repetitions=1, cases=cases)))

        assert Counter(r.failure.error for r in workshop.records() if r.failure) == {"build-missing": 3}


class TestChunks:
    def test_a_damaged_chunk_is_never_measured(self, workshop: Workshop) -> None:
        """The service is away, so the damaged chunk cannot be fetched again: the job waits until it is stopped."""
        path = workshop.chunks.path(CHUNK_SHA256)
        path.write_bytes(b"!" + path.read_bytes()[1:])
        job = a_job(workshop.build, repetitions=1)
        workshop.status.hold(job.job_id, 1)
        with acting_once(lambda: is_waiting(workshop), "the job that waits for its chunk", workshop.status.shut_down):
            assert workshop.executor.execute(workshop.context(job)) == "shutdown"

        assert workshop.records() == []

    def test_a_chunk_of_another_length_than_the_job_says_fails(self, workshop: Workshop) -> None:
        cases = [case.model_dump() | {"chunk_bytes": 7} for case in a_job(workshop.build, 1).cases]

        workshop.executor.execute(workshop.context(a_job(workshop.build, repetitions=1, cases=cases)))

        assert {record.failure.error for record in workshop.records() if record.failure} == {"chunk-damaged"}


class TestFullDisk:
    def test_measuring_stops_until_there_is_room_and_loses_nothing(self, workshop: Workshop) -> None:
        """SQLite's page limit stands for the disk; it is lifted while the job waits."""
        connection = workshop.journal._connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        job = a_job(workshop.build, repetitions=8)
        workshop.status.hold(job.job_id, 1)
        seen: list[str] = []

        def make_room() -> None:
            snapshot = workshop.status.snapshot()
            seen.append(f"{snapshot.state}: {snapshot.activity}")
            connection.execute("PRAGMA max_page_count = 100000")

        with acting_once(lambda: is_waiting(workshop), "the job that waits for room", make_room):
            assert workshop.executor.execute(workshop.context(job)) == "done"

        assert seen[0].startswith("refusing: job 9 waits: ")
        assert "cannot be written" in seen[0]
        assert len(workshop.records()) == 24
        assert {record.state for record in workshop.records()} == {"ok"}


class TestMessages:
    @pytest.mark.parametrize("body", [None, 7, "job", [], {}, {"version": 2}, {"args": [], "kwargs": {"a": 1}}])
    def test_what_is_no_job_is_set_aside(self, workshop: Workshop, body: object) -> None:
        assert workshop.handler.handle(body) == "settled"
        assert workshop.status.snapshot().held == ()

    def test_a_job_of_another_agent_is_set_aside(self, workshop: Workshop) -> None:
        job = a_job(workshop.build, repetitions=1, agent_id="zzzzzzzzzz99")

        assert workshop.handler.handle(job.model_dump(mode="json")) == "settled"
        assert workshop.records() == []

    def test_a_service_that_is_away_forbids_nothing(self, workshop: Workshop) -> None:
        job = a_job(workshop.build, repetitions=2)

        assert workshop.handler.handle(job.model_dump(mode="json")) == "settled"
        assert len(workshop.records()) == 6
        assert workshop.status.snapshot().held == ()
