"""Duration of 2 000 executions of `noop` as a run, compared with `hyperfine -N` and the same command on the same core.

Both do the same: start `ciphermark-own noop --in CHUNK` 2 000 times, pinned, and wait for each. The run also samples,
journals, verifies, stores and summarizes. Rounds alternate, and so does the order within a round; the ratio of each
round counts.

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

from orchestrator.settings import CommonSettings  # noqa: E402
from tests.support.system import System  # noqa: E402 (the same way to start everything as in the tests)

CHUNK_BYTES = (131_072, 1_048_576)
LIMIT = 1.5


def noop_plan(executions: int, chunk_bytes: int) -> dict[str, object]:
    """Return a plan of nothing but `noop`."""
    inputs = {"kinds": ["text"], "sizes": [chunk_bytes]}
    matrix = [{"providers": ["own"], "algorithms": ["noop"], "inputs": inputs}]
    return {"version": 1, "name": "launch", "repetitions": executions, "matrix": matrix}


def run_seconds(system: System, executions: int, chunk_bytes: int) -> tuple[float, float]:
    """Return the wall time from submission to the last stored record, and from the first execution to it."""
    begin = time.monotonic()
    run_id = system.submit(noop_plan(executions, chunk_bytes))
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


def noop_command(system: System, chunk_bytes: int) -> list[str]:
    """Return what the daemon executes for such a plan."""
    chunks = json.loads(system.command("corpus", "list", "--json"))
    sha256 = next(c["sha256"] for c in chunks if c["kind"] == "text" and c["length_bytes"] == chunk_bytes)
    (build,) = system.rows("SELECT build_key FROM builds WHERE current")
    builds = json.loads(system.command("runners", "list", "--json"))
    runner = next(b["runners"]["own"] for b in builds if b["build_key"] == build["build_key"])
    return [runner, "noop", "--in", str(system.folder / "corpus" / "chunks" / sha256[:2] / sha256)]


def compare(system: System, chunk_bytes: int, executions: int, rounds: int) -> float:
    """Measure the rounds, print them, and return the median ratio."""
    command, core = noop_command(system, chunk_bytes), max(os.sched_getaffinity(0))
    ratios = []
    print(f"{executions} executions of noop over {chunk_bytes} bytes")
    print(f"{'round':>5} {'run':>9} {'first to last':>14} {'hyperfine -N':>13} {'ratio':>6}")
    for number in range(rounds):
        theirs = hyperfine_seconds(command, core, executions) if number % 2 else None
        ours, inside = run_seconds(system, executions, chunk_bytes)
        theirs = theirs or hyperfine_seconds(command, core, executions)
        ratios.append(ours / theirs)
        print(f"{number + 1:>5} {ours:>8.2f}s {inside:>13.2f}s {theirs:>12.2f}s {ours / theirs:>6.2f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}, aim at most {LIMIT}")
    return statistics.median(ratios)


def main() -> int:
    """Measure and print; 1 when a median ratio is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, System(Path(folder), CommonSettings().cache_folder) as system:
        ratios = [compare(system, chunk, options.executions, options.rounds) for chunk in CHUNK_BYTES]
    return 0 if max(ratios) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
