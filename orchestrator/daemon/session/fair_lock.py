"""The lock on the machine: a job, a build, or a health check uses it, never two of them at the same time."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class FairLock:
    """A first-come, first-served lock, so that neither jobs nor builds starve."""

    def __init__(self) -> None:
        """Create the lock, free."""
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock and hold it until the block ends."""
        ticket = object()
        try:
            with self._changed:
                self._queue.append(ticket)
                self._changed.wait_for(lambda: self._queue[0] is ticket)
            yield
        finally:
            # Also after a signal interrupted the wait: an abandoned ticket would block every later one.
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()
