"""Configuration of all tests."""

import gc
import os
from collections import defaultdict
from collections.abc import Generator
from contextlib import nullcontext
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.support.paths import REPOSITORY, TEST_CACHE
from tests.support.untraced import untraced, untraced_with_all_it_starts

LONGEST_FIRST = ("acceptance", "integration/native", "integration/supervisor", "integration/daemon", "integration")
"""Folders of tests in the order of their start: a long file that starts last would occupy one worker alone."""
SHARED_SYSTEMS = ("tests/acceptance/", "tests/integration/supervisor/")
"""Folders whose files share one system."""
OWN_SYSTEMS = {"test_full_disk", "test_prebuilt_runners", "test_redis_watchdog", "test_restore"}
"""Files there that start their own, or none."""
EXAMPLES = int(os.environ.get("CIPHERMARK_TEST_EXAMPLES", "25"))
"""Examples of a property test; the part `examples` of test_all.sh has more of them."""

# Daemons of tests in several processes execute on the same core.
os.environ["CIPHERMARK_SHARE_CORE"] = "true"

# Modules and thousands of tests stay until the end. To look through them for garbage again and again took 18 % of the
# processor time of tests with a database (with coverage; 39 s instead of 47 s for 453 tests, 2-core VM, 2026-11).
gc.set_threshold(20_000, 20, 20)

# What Hypothesis reads in all modules is kept for the next clone: each worker needs 6 s for it.
set_hypothesis_home_dir(TEST_CACHE / "hypothesis")

# A test is never decided by time: a busy machine is slow, not wrong.
settings.register_profile(
    "ciphermark", max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ciphermark")


class FilesOfOneSystemTogether(LoadFileScheduling):
    """A file stays in one worker, and so do all files that share a started system (their session fixture)."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        shares = file.startswith(SHARED_SYSTEMS) and Path(file).stem not in OWN_SYSTEMS
        return str(Path(file).parent) if shares else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Distribute the tests; groups of xdist 3.8 (`loadgroup`) have no effect under pytest 9.2."""
    return FilesOfOneSystemTogether(config, log)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Store the coverage of this worker: xdist kills it if its process has not ended within ten seconds."""
    if (measured := Coverage.current()) is not None:
        measured.save()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import the tests, and what they import, with tracing in one worker alone: it takes 18 s in place of 10 s."""
    with nullcontext() if os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0" else untraced():
        return (yield)


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
    os.umask(0o022)  # A program of ours that a former test executed in this process may have made its files private.
    with untraced_with_all_it_starts() if item.get_closest_marker("untraced") else nullcontext():
        return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how long the tests of each folder took, if there are several."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.split("/")[1]] += report.duration
    if len(seconds) > 1:
        times = ", ".join(f"{folder} {total:.0f} s" for folder, total in sorted(seconds.items()))
        terminalreporter.write_line(f"time in tests, of all workers together: {times}")
