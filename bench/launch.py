"""Duration of 2 000 executions of `noop` as a run, compared with `hyperfine -N` and the same command on the same core.

Both do the same: start `ciphermark-own noop --in CHUNK` 2 000 times, pinned, and wait for each. The run also samples,
journals, verifies, stores and summarizes. Rounds alternate, and so does the order within a round; the ratio of each
round counts. Also printed: the time from the first start to the last end over the sum of the processes, and the median
time between the end of a process and the start of the next execution.

Usage: .venv/bin/python bench/launch.py [--executions 2000] [--rounds 3]
"""

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bench._options import options
from orchestrator.shared.settings import CommonSettings
from tests.support.system import System

CHUNK_BYTES = (131_072, 1_048_576)
LIMIT = 1.5
MAX_OVERHEAD = 1.1
MAX_GAP_MS = 0.5


def noop_plan(executions: int, chunk_bytes: int) -> dict[str, object]:
    """Return a plan of nothing but `noop`."""
    inputs = {"kinds": ["text"], "sizes": [chunk_bytes]}
    matrix = [{"providers": ["own"], "algorithms": ["noop"], "inputs": inputs}]
    return {"version": 1, "name": "launch", "repetitions": executions, "matrix": matrix}


@dataclass(frozen=True)
class Run:
    """Times of one run."""

    whole_seconds: float
    """From submission to the last stored record."""
    overhead: float
    """From the first start to the last end, over the sum of the processes."""
    gap_ms: float
    """Median between the end of a process and the start of the next execution."""


def run_times(system: System, executions: int, chunk_bytes: int) -> Run:
    """Execute the plan."""
    begin = time.monotonic()
    run_id = system.submit(noop_plan(executions, chunk_bytes))
    run = system.wait_for_run(run_id, seconds=600)
    whole = time.monotonic() - begin
    states = system.states(run_id)
    assert states == {"ok": executions}, states
    rows = system.rows(
        "SELECT started_at, process_wall_ns FROM executions WHERE run_id = ? ORDER BY started_at", run["id"]
    )
    starts = [datetime.fromisoformat(row["started_at"]).timestamp() for row in rows]
    walls = [row["process_wall_ns"] / 1e9 for row in rows]
    ends = [start + wall for start, wall in zip(starts, walls, strict=True)]
    gaps = [start - end for end, start in zip(ends, starts[1:], strict=False)]
    return Run(whole, (ends[-1] - starts[0]) / sum(walls), statistics.median(gaps) * 1e3)


def hyperfine_seconds(command: list[str], core: int, executions: int) -> float:
    """Return the wall time of hyperfine executing the command that often, pinned like our runners.

    hyperfine is pinned whole: a `taskset` in front of each execution would cost it one more exec.
    """
    arguments = ["taskset", "--cpu-list", str(core), "hyperfine", "-N", "--runs", str(executions), shlex.join(command)]
    begin = time.monotonic()
    subprocess.run(arguments, check=True, capture_output=True)
    return time.monotonic() - begin


def noop_command(system: System, chunk_bytes: int) -> list[str]:
    """Return what the daemon executes for such a plan."""
    chunks = json.loads(system.command("corpus", "list", "--json"))
    sha256 = next(c["sha256"] for c in chunks if c["kind"] == "text" and c["length_bytes"] == chunk_bytes)
    (build,) = system.rows("SELECT build_key FROM builds WHERE current")
    builds = json.loads(system.command("runners", "list", "--json"))
    runner = next(b["runners"]["own"] for b in builds if b["build_key"] == build["build_key"])
    return [runner, "noop", "--in", str(system.folder / "corpus" / "chunks" / sha256[:2] / sha256)]


def compare(system: System, chunk_bytes: int, executions: int, rounds: int) -> bool:
    """Measure the rounds, print them, and return whether every aim is met."""
    command, core = noop_command(system, chunk_bytes), max(os.sched_getaffinity(0))
    ratios, runs = list[float](), list[Run]()
    print(f"{executions} executions of noop over {chunk_bytes} bytes")
    print(f"{'round':>5} {'run':>9} {'hyperfine -N':>13} {'ratio':>6} {'over processes':>15} {'gap':>9}")
    for number in range(rounds):
        theirs = hyperfine_seconds(command, core, executions) if number % 2 else None
        ours = run_times(system, executions, chunk_bytes)
        theirs = theirs or hyperfine_seconds(command, core, executions)
        runs.append(ours)
        ratios.append(ours.whole_seconds / theirs)
        print(
            f"{number + 1:>5} {ours.whole_seconds:>8.2f}s {theirs:>12.2f}s {ratios[-1]:>6.2f}"
            f" {ours.overhead:>15.2f} {ours.gap_ms:>6.2f} ms",
            flush=True,
        )
    ratio = statistics.median(ratios)
    overhead, gap_ms = statistics.median(run.overhead for run in runs), statistics.median(run.gap_ms for run in runs)
    print(f"medians: ratio {ratio:.2f}, over processes {overhead:.2f}, gap {gap_ms:.2f} ms;", end=" ")
    print(f"aims: at most {LIMIT}, {MAX_OVERHEAD}, {MAX_GAP_MS} ms")
    return ratio <= LIMIT and overhead <= MAX_OVERHEAD and gap_ms <= MAX_GAP_MS


def main() -> int:
    """Measure and print; 1 when an aim is missed."""
    given = options(__doc__, executions=2000, rounds=3)
    with tempfile.TemporaryDirectory() as folder, System(Path(folder), CommonSettings().cache_folder) as system:
        met = [compare(system, chunk, given.executions, given.rounds) for chunk in CHUNK_BYTES]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
