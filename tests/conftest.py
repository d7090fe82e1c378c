"""Configuration of all tests."""

import gc
import os
from collections.abc import Generator
from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, settings

from tests.support.paths import REPOSITORY
from tests.support.untraced import untraced_with_all_it_starts

LONGEST_FIRST = ("acceptance", "integration/native", "integration/supervisor", "integration/daemon", "integration")
"""Folders of tests in the order of their start: a long file that starts last would occupy one worker alone."""
EXAMPLES = int(os.environ.get("CIPHERMARK_TEST_EXAMPLES", "25"))
"""Examples of a property test; the part `examples` of test_all.sh has more of them."""

# Daemons of tests in several processes execute on the same core.
os.environ["CIPHERMARK_SHARE_CORE"] = "true"

# Modules and thousands of tests stay until the end. To look through them for garbage again and again took 18 % of the
# processor time of tests with a database (with coverage; 39 s instead of 47 s for 453 tests, 2-core VM, 2026-11).
gc.set_threshold(20_000, 20, 20)

# A test is never decided by time: a busy machine is slow, not wrong.
settings.register_profile(
    "ciphermark", max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ciphermark")


def pytest_collection_finish() -> None:
    """Let the collector of garbage ignore what was imported and collected."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests by their folders' places in LONGEST_FIRST; the order within a folder stays."""

    def place(item: pytest.Item) -> int:
        folder = item.path.parent
        places = (n for n, name in enumerate(LONGEST_FIRST) if folder.is_relative_to(REPOSITORY / "tests" / name))
        return next(places, len(LONGEST_FIRST))

    items.sort(key=place)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Execute the tests of files with the mark `untraced` without the measurement of coverage."""
    with untraced_with_all_it_starts() if item.get_closest_marker("untraced") else nullcontext():
        return (yield)
