"""Disturbance marks of a run during which another process starts to load the measured core.

Two copies of one case and a run of some hundred executions; when half of them are stored a busy program is started on
the measured core. Executions before and after that are counted apart.

Usage: .venv/bin/python bench/disturbance.py [--repetitions 300]
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench._options import options
from orchestrator.shared.settings import CommonSettings
from tests.support.system import System

MARKED_LIMIT = 0.9
FALSE_MARKS_LIMIT = 0.1


def plan(repetitions: int) -> dict[str, object]:
    """Return a plan of two copies of one case of some 20 ms."""
    inputs = {"kinds": ["text"], "sizes": ["1 MiB"]}
    matrix = {"providers": ["own"], "algorithms": ["aes-128-ctr"], "variants": ["ref"], "inputs": inputs, "copies": 2}
    return {"version": 1, "name": "planted-step", "repetitions": repetitions, "matrix": [matrix]}


@contextlib.contextmanager
def load_on(core: int) -> Iterator[None]:
    """Keep a core busy as long as the context lasts."""
    busy = subprocess.Popen(["taskset", "--cpu-list", str(core), sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


def shares_marked(system: System, run_id: str, begun: str) -> tuple[float, float, int, int]:
    """Return the shares of marked executions before and after that moment, and how many there are of each."""
    rows = system.rows("SELECT started_at >= ? AS loaded, disturbed FROM executions WHERE run_id = ?", begun, run_id)
    quiet = [row["disturbed"] for row in rows if not row["loaded"]]
    loaded = [row["disturbed"] for row in rows if row["loaded"]]
    return sum(quiet) / len(quiet), sum(loaded) / len(loaded), len(quiet), len(loaded)


def main() -> int:
    """Measure and print; 1 when the step was not marked, or was taken for a difference."""
    given = options(__doc__, repetitions=300)
    core = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name, System(Path(name), CommonSettings().cache_folder) as system:
        run_id = system.submit(plan(given.repetitions))
        system.wait_for_progress(run_id, given.repetitions, seconds=600)
        with load_on(core):
            begun = system.rows("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now') AS now")[0]["now"]
            system.wait_for_run(run_id, seconds=1200)
        quiet, loaded, before, after = shares_marked(system, run_id, begun)
        ratio = system.rows(
            "SELECT (SELECT avg(work_wall_ns) FROM executions WHERE run_id = ? AND started_at >= ?) /"
            " (SELECT avg(work_wall_ns) FROM executions WHERE run_id = ? AND started_at < ?) AS ratio",
            run_id, begun, run_id, begun,
        )[0]["ratio"]  # fmt: skip
        answer = system.get(f"/runs/{run_id}/answer")
        (agent,) = answer["agents"]
        ranks = [row["rank"] for row in agent["rows"]]
        print(f"executions marked before the step: {quiet:.1%} of {before}; after it: {loaded:.1%} of {after}")
        print(f"the step: work takes {ratio:.2f} times as long")
        print(f"ranks of the two copies: {ranks}; {agent['sentence']}")
    tied = agent["rows"][-1]["verdict"] == "tie"
    return 0 if tied and loaded >= MARKED_LIMIT and quiet <= FALSE_MARKS_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
