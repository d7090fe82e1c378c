"""Waiting for a condition: the one place in the tests that lets time pass."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Value = TypeVar("Value")

GENEROUS_SECONDS = 60.0
"""Only a failing test waits this long."""
_POLL_SECONDS = 0.02


def until(condition: Callable[[], Value], what: str, timeout: float = GENEROUS_SECONDS) -> Value:
    """Return the first true value of a condition; fail with the name of what was awaited after ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s for {what} in vain")
        time.sleep(_POLL_SECONDS)
    return value


@contextmanager
def acting_once(condition: Callable[[], object], what: str, action: Callable[[], object]) -> Iterator[None]:
    """Act in another thread once a condition holds; fail at the end of the block when it did not hold in time.

    The action is executed in either case, so that a block which waits for it ends.
    """

    def act() -> None:
        try:
            until(condition, what)
        finally:
            action()

    with ThreadPoolExecutor(max_workers=1) as pool:
        acted = pool.submit(act)
        yield
        acted.result()
