"""Watch of a real shell: what polling its process sees of a child that holds memory."""

import subprocess
import sys
import time
from pathlib import Path

import psutil

from orchestrator.measurement.instrument.shell_watch import ShellWatch, ShellWatchPlan
from orchestrator.wire.launcher import Started
from tests.support.waiting import until

SHELL = Path("/bin/sh")
MIB = 1 << 20
HOLD = f"{sys.executable} -c 'block = bytearray(64 << 20); print(len(block), flush=True); input()'"
"""Holds memory until a line arrives."""


def begun(process: "subprocess.Popen[str]", interval_ns: int) -> ShellWatch:
    """Return the watch of a process that has started."""
    found = ShellWatchPlan(interval_ns).open(SHELL, None)
    found.begin(Started.read({"event": "started", "id": 1, "pid": process.pid, "spawn_ns": time.monotonic_ns()}))
    return found


def test_polled_shell_shows_nothing_of_the_memory_of_its_child() -> None:
    # The second command lets every shell start the first one as a child.
    with subprocess.Popen(
        [SHELL, "-c", f"{HOLD}; :"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == 64 * MIB
        watched = begun(process, 0)
        for _ in range(4):
            watched.observe()
        process.communicate("\n")
    seen = watched.finish()

    mean, samples = seen.readings["shell_mean_rss_bytes"], seen.readings["shell_samples"]
    assert samples == 5
    assert mean is not None
    assert 0 < mean < 16 * MIB
    assert seen.provenance["shell_mean_rss_bytes"].startswith("psutil, process of /bin/sh (")
    assert seen.curve is None
    assert seen.absent["curve_peak_rss_bytes"] == "sampling was turned off"


def test_shell_that_ended_before_the_first_sample_has_no_mean() -> None:
    with subprocess.Popen([SHELL, "-c", ":"], text=True) as process:
        process.wait()
        seen = begun(process, 20_000_000).finish()

    assert (seen.readings["shell_mean_rss_bytes"], seen.readings["shell_samples"]) == (None, 0)
    assert seen.absent["shell_mean_rss_bytes"] == "the shell ended before the first sample"
    assert seen.provenance == {}


def test_shell_without_memory_gives_no_sample() -> None:
    """Regression: a sample of a shell that was ending counted as 0 bytes."""
    with subprocess.Popen([SHELL, "-c", ":"], text=True) as process:
        until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE, "the end of the shell")
        seen = begun(process, 20_000_000).finish()

    assert (seen.readings["shell_mean_rss_bytes"], seen.readings["shell_samples"]) == (None, 0)


def test_sample_is_taken_when_it_is_due_only() -> None:
    with subprocess.Popen([SHELL, "-c", "read line"], stdin=subprocess.PIPE, text=True) as process:
        found = begun(process, 3600 * 10**9)
        for _ in range(5):
            found.observe()
        process.communicate("\n")

    assert found.finish().readings["shell_samples"] == 1
