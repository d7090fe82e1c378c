"""Memory of a daemon with its launcher, idle and during a run: proportional set size (PSS) of all its processes.

Starts everything as `ciphermark up` does, waits until the daemon is idle, and submits a plan with `process`, `latency`
and `memory` executions. Sizes are the sums of /proc/PID/smaps_rollup over the daemon and its descendants, without
runners. Pages that other processes share count in part, so on a device without a service the daemon is larger by its
part of Python and of the libraries: `alone` is the sum with these pages counted in full.

Usage: .venv/bin/python bench/daemon_memory.py [--runners build/runners] [--seconds 20]
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench._children import RUNNERS
from bench._options import options
from bench._service import memory_bytes
from orchestrator.shared.settings import CommonSettings
from orchestrator.shared.units import MIB
from tests.support.system import System

LIMIT_BYTES = 64 * MIB
INTERVAL_SECONDS = 0.1


@dataclass(frozen=True)
class Sizes:
    """Sizes of the daemon's processes at one time."""

    pss_bytes: int
    alone_bytes: int
    """RSS of the daemon itself: its PSS if no other process shared its pages."""


def sizes_of(daemon: psutil.Process) -> Sizes:
    """Return the sizes of a daemon and its descendants, except runners."""
    pss = alone = 0
    for process in (daemon, *daemon.children(recursive=True)):
        with suppress(psutil.Error, OSError):
            if process.name().startswith("ciphermark-") and process.name() != "ciphermark-laun":
                continue
            fields = memory_bytes(process)
            pss += fields["Pss"]
            alone += fields["Rss"]
    return Sizes(pss, alone)


def plan() -> dict[str, object]:
    """Return a plan that executes for some 20 s."""
    inputs = {"kinds": ["text"], "sizes": [131_072, 1_048_576]}
    case = {"providers": ["own"], "algorithms": ["aes-192-cbc", "chacha20-256"], "inputs": inputs}
    return {"version": 1, "name": "memory", "repetitions": 200, "matrix": [case]}


def main() -> int:
    """Measure and print; 1 if a median or a maximum is above the limit."""
    given = options(__doc__, runners=RUNNERS, seconds=20.0)
    # Another daemon on the core changes no size.
    os.environ |= {"CIPHERMARK_RUNNERS_FOLDER": str(given.runners.absolute()), "CIPHERMARK_SHARE_CORE": "true"}
    with tempfile.TemporaryDirectory() as folder, System(Path(folder), CommonSettings().cache_folder) as system:
        daemon = system.part("daemon")
        print(" ".join(daemon.cmdline()))
        idle = [sizes_of(daemon) for _ in _until(time.monotonic() + given.seconds)]
        run_id = system.submit(plan())
        active = [sizes_of(daemon) for _ in _until(time.monotonic() + given.seconds)]
        system.wait_for_run(run_id, seconds=600)
        after = [sizes_of(daemon) for _ in _until(time.monotonic() + 5)]
    good = True
    for name, found in (("idle", idle), ("in a run", active), ("after it", after)):
        pss = [sizes.pss_bytes for sizes in found]
        alone = max(sizes.alone_bytes for sizes in found)
        good = good and max(pss) <= LIMIT_BYTES
        print(
            f"{name:<10} PSS median {statistics.median(pss) / MIB:.1f} MiB, maximum {max(pss) / MIB:.1f} MiB; "
            f"alone at most {alone / MIB:.1f} MiB; {len(found)} samples"
        )
    print(f"aim: at most {LIMIT_BYTES / MIB:.0f} MiB PSS")
    return 0 if good else 1


def _until(deadline: float) -> Iterator[None]:
    while time.monotonic() < deadline:
        time.sleep(INTERVAL_SECONDS)
        yield


if __name__ == "__main__":
    sys.exit(main())
