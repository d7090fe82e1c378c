"""`ciphermark measure` compared with hyperfine: the same programs on the same core, in alternating rounds.

Both execute a program equally often and report its median. The wall time of the whole command shows the overhead per
execution. hyperfine itself is pinned, because it cannot pin its children.

Usage: .venv/bin/python bench/measure_command.py [--executions 100] [--rounds 6]
"""

import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench._children import compiled
from bench._options import options

MEASURE = (sys.executable, "-m", "orchestrator.cli.main", "measure")
LIMIT_SECONDS = 100e-6
"""Largest accepted difference of the medians: our launcher may add 0.1 ms to a bare launch."""


@dataclass(frozen=True)
class ToolResult:
    """Median that a tool reported of one program, and the tool's own duration."""

    median_seconds: float
    tool_seconds: float


def execute(tool: list[str], command: list[str], export: Path) -> ToolResult:
    """Execute a tool that writes a file in hyperfine's format."""
    begin = time.monotonic()
    subprocess.run([*tool, "--export-json", str(export), *command], check=True, capture_output=True)
    tool_seconds = time.monotonic() - begin
    (result,) = json.loads(export.read_text())["results"]
    return ToolResult(result["median"], tool_seconds)


def ways(executions: int, core: int, export: Path) -> dict[str, Callable[[list[str]], ToolResult]]:
    """Return both tools."""
    ours = [*MEASURE, "-n", str(executions), "-w", "3", "--core", str(core)]
    theirs = ["taskset", "--cpu-list", str(core), "hyperfine", "-N", "--runs", str(executions), "--warmup", "3"]
    return {
        "measure": lambda command: execute(ours, ["--", *command], export),
        "hyperfine": lambda command: execute(theirs, [shlex.join(command)], export),
    }


def compare(tools: dict[str, Callable[[list[str]], ToolResult]], command: list[str], rounds: int) -> list[float]:
    """Return the differences of the medians by round (ours less theirs, seconds), the order alternating; print both."""
    seen: dict[str, list[ToolResult]] = {name: [] for name in tools}
    for number in range(rounds):
        for name in list(tools)[:: 1 if number % 2 else -1]:
            seen[name].append(tools[name](command))
    for name, found in seen.items():
        medians = statistics.median(one.median_seconds for one in found)
        whole = statistics.median(one.tool_seconds for one in found)
        print(f"  {name:>9}: median {medians * 1e3:8.3f} ms, the whole command {whole:6.2f} s")
    pairs = zip(seen["measure"], seen["hyperfine"], strict=True)
    return [ours.median_seconds - theirs.median_seconds for ours, theirs in pairs]


def main() -> int:
    """Measure and print; 1 when a median of ours is too far above hyperfine's."""
    given = options(__doc__, executions=100, rounds=6)
    if shutil.which("hyperfine") is None:
        print("hyperfine is not installed: nothing to compare with")
        return 0
    core, worst = max(os.sched_getaffinity(0)), 0.0
    with tempfile.TemporaryDirectory() as folder:
        tools = ways(given.executions, core, Path(folder) / "export.json")
        holder = str(compiled("holder.c", Path(folder)))
        for command in (["/bin/true"], [holder, "4096", "20"], ["sleep", "0.05"]):
            print(f"{Path(command[0]).name} {shlex.join(command[1:])}")
            differences = compare(tools, command, given.rounds)
            worst = max(worst, statistics.median(differences))
            words = ", ".join(f"{difference * 1e6:+.0f}" for difference in sorted(differences))
            print(f"  difference of the medians by round, µs: {words}")
    print(f"largest median difference {worst * 1e6:+.0f} µs, aim at most {LIMIT_SECONDS * 1e6:.0f}")
    return 0 if worst <= LIMIT_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
