"""How long 2 000 executions of `noop` take as a run, beside `hyperfine -N` with the same command on the same core.

Both do the same: start `ciphermark-own noop --in CHUNK` 2 000 times, pinned, and wait for each. The run also samples,
journals, verifies, stores and sums up. Rounds alternate, the order within a round too; the ratio of each round counts.

Usage: .venv/bin/python bench/launch.py [--executions 2000] [--rounds 3]
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.acceptance.system import System  # noqa: E402 (the same way to start everything as in the tests)

CHUNK_BYTES = 131_072
LIMIT = 1.5


def noop_plan(executions: int) -> dict[str, object]:
    """Return a plan of nothing but `noop`."""
    inputs = {"kinds": ["text"], "sizes": [CHUNK_BYTES]}
    matrix = [{"providers": ["own"], "algorithms": ["noop"], "inputs": inputs}]
    return {"version": 1, "name": "launch", "repetitions": executions, "matrix": matrix}


def run_seconds(system: System, executions: int) -> tuple[float, float]:
    """Return the wall time from submission to the last stored record, and from the first execution to it."""
    begin = time.monotonic()
    run_id = system.submit(noop_plan(executions))
    run = system.wait_for_run(run_id, seconds=600)
    whole = time.monotonic() - begin
    states = system.states(run_id)
    assert states == {"ok": executions}, states
    first, last = system.rows(
        "SELECT min(julianday(started_at)) AS a, max(julianday(stored_at)) AS b FROM executions WHERE run_id = ?",
        run["id"],
    )[0]
    return whole, (last - first) * 86_400


def hyperfine_seconds(command: list[str], core: int, executions: int) -> float:
    """Return the wall time of hyperfine executing the command that often, pinned like our runners.

    hyperfine is pinned whole: a `taskset` in front of each execution would cost it one more exec.
    """
    arguments = ["taskset", "--cpu-list", str(core), "hyperfine", "-N", "--runs", str(executions), shlex.join(command)]
    begin = time.monotonic()
    subprocess.run(arguments, check=True, capture_output=True)
    return time.monotonic() - begin


def main() -> int:
    """Measure and print; 1 when the median ratio is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    core = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, System(Path(folder), ROOT / "build" / "test-cache") as system:
        chunk = next(c for c in json.loads(system.command("corpus", "list", "--json")) if fits(c))
        store = system.folder / "corpus" / "chunks" / chunk["sha256"][:2] / chunk["sha256"]
        (build,) = system.rows("SELECT build_key FROM builds WHERE current")
        builds = json.loads(system.command("runners", "list", "--json"))
        runner = next(b["runners"]["own"] for b in builds if b["build_key"] == build["build_key"])
        command = [runner, "noop", "--in", str(store)]
        ratios = []
        print(f"{options.executions} executions of: {' '.join(command)}")
        print(f"{'round':>5} {'run':>9} {'first to last':>14} {'hyperfine -N':>13} {'ratio':>6}")
        for number in range(options.rounds):
            if number % 2:
                theirs = hyperfine_seconds(command, core, options.executions)
                ours, inside = run_seconds(system, options.executions)
            else:
                ours, inside = run_seconds(system, options.executions)
                theirs = hyperfine_seconds(command, core, options.executions)
            ratios.append(ours / theirs)
            print(f"{number + 1:>5} {ours:>8.2f}s {inside:>13.2f}s {theirs:>12.2f}s {ours / theirs:>6.2f}")
    ratio = statistics.median(ratios)
    print(f"median ratio {ratio:.2f}, aim at most {LIMIT}")
    return 0 if ratio <= LIMIT else 1


def fits(chunk: dict[str, object]) -> bool:
    """Tell whether this is the chunk that the plan executes on."""
    return chunk["kind"] == "text" and chunk["length_bytes"] == CHUNK_BYTES


if __name__ == "__main__":
    sys.exit(main())
