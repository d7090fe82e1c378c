"""Records are made and stored in the order of their executions, while the next runner works or before it."""

import threading
from collections.abc import Callable

import pytest

from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal.journal import Journal, key_of
from orchestrator.daemon.jobs.recorder import GROUP, Recorder
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.wire.records import Record
from tests.support.daemon_bench import NO_SERVICE
from tests.support.job_records import record
from tests.support.waiting import GENEROUS_SECONDS, until


def recorder(
    journal: Journal, *, in_thread: bool, wait_for_room: Callable[[Callable[[], None]], None] = list
) -> Recorder:
    """Return a recorder whose service is unreachable."""
    client = ServiceClient(ServiceAddress(NO_SERVICE, "token", 2.0))
    return Recorder(journal, Delivery(journal, client), wait_for_room, in_thread=in_thread)


def stored(journal: Journal) -> list[int]:
    """Return the repetitions of the stored records in their order."""
    documents = journal.waiting(1000).values()
    return [key_of(Record.model_validate_json(document))[1] for document in documents]


def test_record_is_made_while_the_next_execution_continues(journal: Journal) -> None:
    continued = threading.Event()

    def make() -> Record:
        assert continued.wait(GENEROUS_SECONDS)
        return record(1)

    with recorder(journal, in_thread=True) as records:
        records.put(make)
        records.begin()
        assert stored(journal) == []
        continued.set()
        until(lambda: stored(journal) == [1], "the record")


def test_record_waits_for_the_start_of_the_next_runner(journal: Journal) -> None:
    made = threading.Event()

    def make() -> Record:
        made.set()
        return record(1)

    with recorder(journal, in_thread=True) as records:
        records.put(make)
        assert not made.wait(0.05)
        records.begin()
        until(lambda: stored(journal) == [1], "the record")
        records.begin()
    assert stored(journal) == [1]


def test_only_the_last_execution_has_no_record(journal: Journal) -> None:
    with recorder(journal, in_thread=True) as records:
        for number in range(1, 50):
            records.put(lambda number=number: record(number))
            assert stored(journal)[: number - 1] == list(range(1, number))
    assert stored(journal) == list(range(1, 50))


def test_records_are_stored_in_groups_on_a_machine_with_one_core(journal: Journal) -> None:
    threads, numbers = threading.active_count(), list(range(1, GROUP + 3))
    with recorder(journal, in_thread=False) as records:
        for number in numbers:
            records.put(lambda number=number: record(number))
        assert stored(journal)[:GROUP] == numbers[:GROUP]
        assert threading.active_count() <= threads + 1  # the delivery's
    assert stored(journal) == numbers


@pytest.mark.parametrize("in_thread", [True, False])
def test_record_that_found_the_disk_full_is_stored_when_there_is_room(journal: Journal, in_thread: bool) -> None:
    def make_room(write: Callable[[], None]) -> None:
        journal.connection.execute("PRAGMA max_page_count = 100000")
        write()

    with recorder(journal, in_thread=in_thread, wait_for_room=make_room) as records:
        journal.connection.execute("PRAGMA max_page_count = 1")
        records.put(lambda: record(1, stderr_tail="x" * 8000))
        records.put(lambda: record(2))
    assert stored(journal) == [1, 2]


def test_error_ends_the_job(journal: Journal) -> None:
    with recorder(journal, in_thread=True) as records:
        records.put(lambda: record(1 // 0))
        with pytest.raises(ZeroDivisionError):
            records.put(lambda: record(2))
    assert stored(journal) == []
