"""Whose turn it is on this machine: a job is measured, or a build is made, never both at once."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A lock that is granted in the order of asking, so that neither jobs nor builds starve the others."""

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for the turn, and hold it to the end of the block."""
        ticket = object()
        try:
            with self._changed:
                self._queue.append(ticket)
                self._changed.wait_for(lambda: self._queue[0] is ticket)
            yield
        finally:
            # Also where a signal ended the waiting: a ticket that stayed would block everybody behind it.
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()
