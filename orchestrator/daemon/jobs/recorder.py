"""Records of a job's executions: made and stored while the next runner works on another core, or in groups."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal.file import DiskFull
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.wire.records import Record

GROUP = 16
GROUP_SECONDS = 1.0
"""Executions that get their records together where runners share the only core, unless they take longer.

Each runner evicts what the caches had of the daemon, so that records made one by one take longer.
"""


class Recorder:
    """Makes the records of one job, stores them in the journal, and then delivers them.

    At most one finished execution, or `GROUP` on the only core, has no record in the journal: a crash makes it again.
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
        self._group: list[Callable[[], Record]] = []
        self._settled_at = time.monotonic()
        self._last: Future[Sequence[Record]] | None = None

    def put(self, make: Callable[[], Record]) -> None:
        """Make and store a record later, after the previous ones. May raise what `wait_for_room` raises.

        In a thread it waits for `begin`: the start of the next runner would otherwise wait for the interpreter lock.
        """
        if self._thread is not None:
            self.settle()
        self._group.append(make)
        is_due = len(self._group) == GROUP or time.monotonic() - self._settled_at >= GROUP_SECONDS
        if self._thread is None and is_due:
            self.settle()

    def begin(self) -> None:
        """Make and store the records that were put, now that this does not delay a runner."""
        if self._group and self._thread is not None:
            self._last = self._thread.submit(self._store, self._taken())

    def _taken(self) -> list[Callable[[], Record]]:
        group, self._group = self._group, []
        return group

    def _store(self, group: Sequence[Callable[[], Record]]) -> Sequence[Record]:
        """Make, store and deliver records; return them if the disk is full."""
        records = [make() for make in group]
        try:
            self._journal.add(*records)
        except DiskFull:
            return records
        self._delivery.after_record()
        return ()

    def settle(self) -> None:
        """Wait until the last records are stored. Those that found the disk full are stored when there is room."""
        self.begin()
        last, self._last = self._last, None
        lacking = last.result() if last is not None else ()
        if self._group:
            lacking = self._store(self._taken())
        if lacking:
            self._wait_for_room(lambda: self._journal.add(*lacking))
        self._settled_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        try:
            self.settle()
        finally:
            if self._thread is not None:
                self._thread.shutdown()
