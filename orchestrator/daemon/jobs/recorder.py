"""Records of a job's executions: made and stored while the next runner works, on another core."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal.file import DiskFull
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.wire.records import Record


class Recorder:
    """Makes the records of one job, stores them in the journal, and then delivers them.

    At most one finished execution has no record in the journal: a crash makes it again.
    """

    def __init__(
        self,
        journal: Journal,
        delivery: Delivery,
        wait_for_room: Callable[[Callable[[], None]], None],
        *,
        in_thread: bool,
    ) -> None:
        """Start without records.

        wait_for_room: writes to the journal, waiting while the disk is full.
        in_thread: whether to work in a thread next to the runners; False where they share the only core.
        """
        self._journal = journal
        self._delivery = delivery
        self._wait_for_room = wait_for_room
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="records") if in_thread else None
        self._next: Callable[[], Record] | None = None
        self._last: Future[Record | None] | None = None

    def put(self, make: Callable[[], Record]) -> None:
        """Make and store a record, after the previous one is stored. May raise what `wait_for_room` raises.

        In a thread it waits for `begin`: the start of the next runner would otherwise wait for the interpreter lock.
        """
        self._settle()
        if self._thread is not None:
            self._next = make
        else:
            self._store_later(self._store(make))

    def begin(self) -> None:
        """Make and store the record that was put, now that this does not delay a runner."""
        make, self._next = self._next, None
        if make is not None and self._thread is not None:
            self._last = self._thread.submit(self._store, make)

    def _store(self, make: Callable[[], Record]) -> Record | None:
        """Make, store and deliver a record; return it if the disk is full."""
        record = make()
        try:
            self._journal.add(record)
        except DiskFull:
            return record
        self._delivery.after_record()
        return None

    def _settle(self) -> None:
        """Wait until the last record is stored."""
        self.begin()
        last, self._last = self._last, None
        if last is not None:
            self._store_later(last.result())

    def _store_later(self, record: Record | None) -> None:
        """Store a record that found the disk full."""
        if record is not None:
            self._wait_for_room(lambda: self._journal.add(record))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        try:
            self._settle()
        finally:
            if self._thread is not None:
                self._thread.shutdown()
