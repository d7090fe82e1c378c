"""Lock of the measured core's quiet: runners work under it, and what would disturb them waits."""

import threading
from types import TracebackType
from typing import Self


class MeasuringLock:
    """Held while runners work, by what must not work next to them, too: slow sensors, the delivery of other records."""

    def __init__(self) -> None:
        """Create it, not held."""
        self._lock = threading.Lock()
        self._count = threading.Lock()
        self._waiting = 0

    @property
    def is_requested(self) -> bool:
        """True while another thread waits for it: the runner that works now is then the last one before that."""
        return self._waiting > 0

    def acquire(self, timeout: float = -1) -> bool:
        """Wait for it, for `timeout` seconds at most, and return whether it is held now."""
        with self._count:
            self._waiting += 1
        try:
            return self._lock.acquire(timeout=timeout)
        finally:
            with self._count:
                self._waiting -= 1

    def release(self) -> None:
        """Let the next thread have it."""
        self._lock.release()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.release()
