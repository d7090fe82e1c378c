"""Rate of false differences, and of found slow-downs of 2 %, by `ciphermark measure`.

Each comparison is one series of two programs, as the command makes it: first the same program twice, then that program
and one whose time is 2 % longer. The programs are native, take a few milliseconds and need only the core. The command's
start is not repeated 440 times: its engine measures and concludes (orchestrator/cli/adhoc).

On a machine that is busy with other work a difference of 2 % in 3 ms is invisible. `--real-time` executes the programs
before all others (SCHED_FIFO), which an idle machine does by itself; it requires root.

Usage: .venv/bin/python bench/measure_same.py [--pairs 400] [--executions 24] [--planted 40] [--planted-executions 200]
                                              [--real-time]
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path
from random import Random

from bench._children import compiled
from bench._options import options
from bench._rates import report
from orchestrator.cli.adhoc.command_lines import read_command_line
from orchestrator.cli.adhoc.conclusions import conclude
from orchestrator.cli.adhoc.instrument import Bench, Where, open_bench
from orchestrator.cli.adhoc.program import CallersEnvironment, ProgramCommand, passable
from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.adhoc.series import MeasuredProgram, SeriesPlan, SeriesPrecision, Steps, run_series
from orchestrator.cli.adhoc.settings import BenchSettings
from orchestrator.shared.settings import DaemonSettings

PROGRAM_SECONDS = 3e-3
SLOWER = 0.02
FALSE_LIMIT = 0.065
FOUND_LIMIT = 38 / 40
BY_COUNT = SeriesPrecision(0.01, 100_000, 10.0)
"""Unused: the number of rounds is given."""


def measured(bench: Bench, executions: int, seed: int, *commands: str) -> Results:
    """Return the results of one series, as the command prints them."""
    programs = []
    for number, command in enumerate(commands):
        line = read_command_line(command)
        limits = (60.0, 65_536)
        programs.append(
            MeasuredProgram(
                str(number), line, ProgramCommand(line.program, "local", "", "none", *limits, words=line.words)
            )
        )
    plan = SeriesPlan(tuple(programs), seed, 0, executions, BY_COUNT)
    series = run_series(plan, Steps(lambda option, hook: None, bench.measure, lambda done, total: None))
    return conclude(plan, series, core=bench.core, remarks=[])


def calibrate(bench: Bench, spinner: Path) -> tuple[int, int]:
    """Return the rounds of the program, and those of one whose time with the start of its process is 2 % longer."""
    few, many = 200_000, 2_000_000
    found = measured(bench, 100, 1, f"{spinner} {few}", f"{spinner} {many}")
    # The shortest ones: other processes make times longer, never shorter.
    short, long = (summary.wall_min_ns / 1e9 for summary in found.summaries)
    per_round = (long - short) / (many - few)
    rounds = round((PROGRAM_SECONDS - (short - few * per_round)) / per_round)
    return rounds, rounds + round(SLOWER * PROGRAM_SECONDS / per_round)


def verdicts(bench: Bench, executions: int, first: str, second: str, count: int) -> list[tuple[str, float]]:
    """Return each comparison's verdict and the ratio of the times, second / first; the order alternates."""
    found = []
    for number in range(count):
        turned = bool(number % 2)
        behind = measured(bench, executions, number, *((second, first) if turned else (first, second))).standings[1]
        assert behind.behind is not None
        # The program behind the fastest is the second one if its place is 1, or 0 in turned order.
        is_second = behind.program == (0 if turned else 1)
        ratio = behind.behind.ratio if is_second else 1 / behind.behind.ratio
        found.append((behind.behind.verdict, ratio))
        if (number + 1) % 50 == 0:
            different = sum(verdict == "different" for verdict, _ in found)
            print(f"  {number + 1} comparisons, {different} called different", flush=True)
    return found


def main() -> int:
    """Measure and print; 1 when a limit is missed."""
    given = options(__doc__, pairs=400, executions=24, planted=40, planted_executions=200, real_time=False)
    if given.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    read = DaemonSettings()
    settings = BenchSettings(read.cache_folder, read.measured_core, read.sampling_interval_ms, read.exit_stop)
    environment = CallersEnvironment(passable(os.environ)[0])
    with (
        tempfile.TemporaryDirectory() as folder,
        open_bench(settings, Where(None, any_core=False), environment, Random(0)) as bench,
    ):
        spinner = compiled("spinner.c", Path(folder))
        rounds, slower_rounds = calibrate(bench, spinner)
        load = os.getloadavg()[0]
        print(f"{rounds} rounds, and {slower_rounds} for {SLOWER:.0%} more time; load {load:.1f}", flush=True)
        normal, slower = f"{spinner} {rounds}", f"{spinner} {slower_rounds}"
        planted = verdicts(bench, given.planted_executions, normal, slower, given.planted)
        found = sum(verdict == "different" and ratio > 1 for verdict, ratio in planted)
        median_ratio = statistics.median(ratio for _, ratio in planted)
        print(
            f"planted slow-downs of {SLOWER:.0%}: {found} of {len(planted)} found, median ratio {median_ratio:.4f}",
            flush=True,
        )
        same = verdicts(bench, given.executions, normal, normal, given.pairs)
    different = sum(verdict == "different" for verdict, _ in same)
    report("same against same, called different", different, len(same))
    print(f"load at the end {os.getloadavg()[0]:.1f}")
    return 0 if different <= FALSE_LIMIT * len(same) and found >= FOUND_LIMIT * len(planted) else 1


if __name__ == "__main__":
    sys.exit(main())
