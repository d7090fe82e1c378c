"""The lock on the machine: a job, a health check or a build uses it, never two of them at the same time.

Jobs and health checks hold it in the order of their requests. A build has the lowest priority: it starts when the lock
has been free for `IDLE_SECONDS`, and pauses as soon as a job or a check requests the lock.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

IDLE_SECONDS = 2.0
"""How long the lock has to be free before a build starts or continues. A run's next job arrives within milliseconds,
the first job of its next round within a second."""
_CHECK_SECONDS = 0.5
"""Interval at which a waiting build checks whether it is stopped."""


class Preempted(Exception):
    """The build has to end, because a job needs something that the build holds."""


class MachineLock:
    """The lock on the machine. Every method may be called from any thread."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        """Create the lock, free. clock: monotonic, in seconds."""
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._free_since = clock() - idle_seconds
        self._spare: SpareTime | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock and hold it until the block ends; a build pauses first."""
        ticket = object()
        try:
            with self._changed:
                self._queue.append(ticket)
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._queue[0] is ticket and not (self._spare and self._spare.active))
            yield
        finally:
            # Also after a signal interrupted the wait: an abandoned ticket would block every later one.
            with self._changed:
                self._queue.remove(ticket)
                self._free_since = self._clock()
                self._changed.notify_all()

    @contextmanager
    def spare_time(self, stopped: Callable[[], bool]) -> Iterator["SpareTime"]:
        """Use the machine while nothing else does; the block starts when the lock has been free for a while.

        stopped: returns whether to give up. Only one thread may build at a time. Raises Preempted where `stopped`
        ends the wait.
        """
        spare = SpareTime(self, stopped)
        with self._changed:
            self._spare = spare
        try:
            spare.wait_for_turn()
            yield spare
        finally:
            with self._changed:
                self._spare = None
                self._changed.notify_all()

    def preempt(self) -> None:
        """End a paused build, which raises Preempted; call it while holding the lock."""
        with self._changed:
            paused = self._spare
            if paused is not None:
                paused.preempted = True
                self._changed.notify_all()
                # The next build may wait for its turn already.
                self._changed.wait_for(lambda: self._spare is not paused)

    @property
    def is_requested(self) -> bool:
        """Return whether a job or a check holds the lock or waits for it."""
        with self._changed:
            return bool(self._queue)

    def _wait_until_idle(self, spare: "SpareTime") -> None:
        with self._changed:
            spare.active = False
            self._changed.notify_all()
            while self._queue or self._idle_left() > 0:
                if spare.preempted or spare.stopped():
                    raise Preempted
                self._changed.wait(_CHECK_SECONDS if self._queue else min(_CHECK_SECONDS, self._idle_left()))
            spare.active = True

    def _idle_left(self) -> float:
        return self._free_since + self._idle_seconds - self._clock()


class SpareTime:
    """The turn of one build, which it interrupts while the lock is needed."""

    def __init__(self, lock: MachineLock, stopped: Callable[[], bool]) -> None:
        """Create the turn; `MachineLock.spare_time` starts it."""
        self.stopped = stopped
        self.active = False
        """Whether the build uses the machine now."""
        self.preempted = False
        self._lock = lock
        self._paused_seconds = 0.0

    def is_over(self) -> bool:
        """Return whether the build has to pause now."""
        return self.preempted or self._lock.is_requested

    def wait_for_turn(self) -> None:
        """Leave the machine to jobs and checks, and return when it has been free for a while. Raises Preempted."""
        began = time.monotonic()
        self._lock._wait_until_idle(self)
        self._paused_seconds += time.monotonic() - began

    def clock(self) -> float:
        """Return a monotonic time in seconds that stops while the build is paused."""
        return time.monotonic() - self._paused_seconds
