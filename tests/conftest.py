"""Configuration of all tests."""

import gc
import os
from collections import defaultdict
from collections.abc import Generator
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.paths import REPOSITORY
from tests.support.untraced import untraced_with_all_it_starts

TESTS = REPOSITORY / "tests"
LONGEST_FIRST = ("acceptance", "integration/native", "integration/supervisor", "integration/daemon", "integration")
"""Folders of tests in the order of their start: a long file that starts last would occupy one worker alone."""
SHARED_SYSTEM = {
    f"acceptance/test_{name}.py" for name in ("commands", "crashes", "paper_report", "silent_agent", "whole_path")
}
"""Files of tests that use the same complete system if they are in one worker."""
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
    """Sort the tests by their folders' places in LONGEST_FIRST, and name the group of each, which stays in one worker.

    A group is a file, because many have a service of their own, or the files that share the complete system.
    """

    def place(item: pytest.Item) -> int:
        folder = item.path.parent
        places = (n for n, name in enumerate(LONGEST_FIRST) if folder.is_relative_to(TESTS / name))
        return next(places, len(LONGEST_FIRST))

    items.sort(key=place)
    for item in items:
        file = item.path.relative_to(TESTS).as_posix()
        item.add_marker(pytest.mark.xdist_group("system" if file in SHARED_SYSTEM else file))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Execute the tests of files with the mark `untraced` without the measurement of coverage."""
    with untraced_with_all_it_starts() if item.get_closest_marker("untraced") else nullcontext():
        return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the seconds of the tests of each folder, all workers together."""
    seconds = defaultdict[str, float](float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.split("/")[1]] += report.duration
    sums = ", ".join(f"{folder} {total:.0f} s" for folder, total in seconds.items())
    terminalreporter.line(f"tests of all workers together: {sums}")
