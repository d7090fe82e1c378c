"""Computing without the measurement of coverage, for counts of calls and for programs that are not ours."""

import os
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


def untraced_environment() -> dict[str, str]:
    """Return the environment of this process for a Python program that executes nothing of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
