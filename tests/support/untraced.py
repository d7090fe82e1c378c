"""Executing without the measurement of coverage, which takes most of the time of tests."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def untraced() -> Iterator[None]:
    """Suspend the tracer of coverage in this thread: it takes most of the time of code that loops in Python."""
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)


@contextmanager
def untraced_with_all_it_starts() -> Iterator[None]:
    """Suspend the tracer also in threads and programs that start in the meantime."""
    of_threads: Any = threading.gettrace()
    of_programs = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COVERAGE_")}
    threading.settrace(None)
    try:
        with untraced():
            yield
    finally:
        threading.settrace(of_threads)
        os.environ.update(of_programs)


def untraced_environment() -> dict[str, str]:
    """Return the environment of this process for a Python program that executes nothing of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
