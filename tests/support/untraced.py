"""Computing without the measurement of coverage, for tests that examine how much is computed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def untraced() -> Iterator[None]:
    """Suspend the tracer of coverage in this thread: it takes most of the time of code that loops in Python."""
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)
