"""Our ciphers next to those of every library with a runner here: one core, a random order in each block.

Every execution is one process of `latency` (runners/README.md) on the highest-numbered core; a block holds each case
once, in random order, and two implementations are compared within blocks. Times are CPU times. The first line of a row
is our default for its length, calibrated as a daemon does (docs/measurement.md); our other variants follow.

It fails if a default is more than 5 % slower than another variant of ours. All of it takes about an hour.

Usage: .venv/bin/python bench/ciphers.py [--only GLOB] [--lengths 16 1024] [--blocks 12] [--runners build/runners]
"""

import fnmatch
import math
import os
import random
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench._children import RUNNERS, latency
from bench._options import options
from orchestrator.compilation.calibration import ATTEMPTS, CalibrateOutput, Disturbed, choose
from orchestrator.shared.units import KIB, format_size
from orchestrator.statistics.paired import Comparison, compare
from orchestrator.wire.runners import Implementation, LatencyReport, ListReport

LENGTHS_BYTES = (16, 64, 256, KIB, 4 * KIB)
SLOWER = 1.05
"""A default that takes more than this times another variant of ours is no good default."""
BOUNDS = {
    "aes-128-ctr": 0.16, "aes-192-ctr": 0.19, "aes-256-ctr": 0.22, "chacha20-256": 0.47, "chacha20-ietf": 0.47,
    "salsa20-256": 0.47, "speck-128-128-ctr": 0.63, "ascon-aead128": 4.0, "tinyjambu-128": 32.0,
}  # fmt: skip
"""Cycles per byte that one long message takes at least with AVX-512 and VAES, by its instructions and their ports."""


@dataclass(frozen=True)
class Work:
    """Work that implementations are compared on: encryption of messages of one length."""

    algorithm: str
    length_bytes: int


@dataclass(frozen=True)
class Case:
    """One implementation at one work."""

    work: Work
    provider: str
    variant: str
    is_default: bool
    """Of ours, for this length."""

    @property
    def name(self) -> str:
        """Return the provider, and of our own the variant."""
        return f"own {self.variant}" if self.provider == "own" else self.provider


@dataclass(frozen=True)
class Reading:
    """One execution: the median of its timings, per message; cycles are None if the clock was not stable."""

    cpu_ns: float
    cycles: float | None


Readings = Mapping[Case, Sequence[Reading]]


class Bench:
    """The runners and all readings."""

    def __init__(self, programs: Mapping[str, Path]) -> None:
        """Use one runner per provider, given by its path."""
        self._programs = programs
        self.readings: dict[Case, list[Reading]] = defaultdict(list)

    def cases(self, only: str, lengths: Sequence[int]) -> list[Case]:
        """Return every unmasked implementation of the algorithms of ours that the glob matches, at every length."""
        offered = {provider: self._implementations(provider) for provider in self._programs}
        ours = {row.algorithm for row in offered["own"] if fnmatch.fnmatchcase(row.algorithm, only)}
        defaults = self._defaults()
        return [
            Case(Work(row.algorithm, length), provider, row.variant or "", _is_default(row, length, defaults))
            for provider, rows in offered.items()
            for row in rows
            if row.algorithm in ours
            for length in lengths
            if not row.whole_blocks_only or length % max(1, row.block_bytes) == 0
        ]  # fmt: skip

    def _implementations(self, provider: str) -> list[Implementation]:
        listed = subprocess.run([self._programs[provider], "list"], check=True, capture_output=True).stdout
        rows = ListReport.model_validate_json(listed).implementations
        return [row for row in rows if row.available and row.masking is None]

    def _defaults(self) -> dict[str, dict[int, str]]:
        """Return the calibrated default of each algorithm by length."""
        passed = {(row.algorithm, row.variant or "") for row in self._implementations("own")}
        for _ in range(ATTEMPTS):
            timed = subprocess.run([self._programs["own"], "calibrate"], check=True, capture_output=True).stdout
            found = choose(CalibrateOutput.model_validate_json(timed), passed)
            if not isinstance(found, Disturbed):
                defaults: dict[str, dict[int, str]] = defaultdict(dict)
                for one in found:
                    defaults[one.algorithm] |= dict.fromkeys(one.fastest_at, one.variant)
                return defaults
        raise SystemExit("the machine is disturbed: nothing can be compared")

    def measure_block(self, cases: Sequence[Case], order: random.Random) -> None:
        """Execute each case once, in random order."""
        for case in order.sample(list(cases), len(cases)):
            self.readings[case].append(self._execute(case))

    def _execute(self, case: Case) -> Reading:
        call = ("--variant", case.variant, "--operation", "encrypt", "--length", str(case.work.length_bytes))
        options = ("--algorithm", case.work.algorithm, *call, "--min-time-ms", "1", "--timings", "5")
        return _reading(latency(self._programs[case.provider], *options))


def _is_default(row: Implementation, length: int, defaults: Mapping[str, Mapping[int, str]]) -> bool:
    fastest = defaults.get(row.algorithm)
    if not fastest:
        return row.default
    return fastest[max((one for one in fastest if one <= length), default=min(fastest))] == row.variant


def _reading(report: LatencyReport) -> Reading:
    cycles = [
        seen / timing.iterations
        for timing in report.timings
        if (seen := timing.derived_cycles if timing.cycles is None else float(timing.cycles)) is not None
    ]
    per_call = [timing.cpu_ns / timing.iterations for timing in report.timings]
    return Reading(statistics.median(per_call), statistics.median(cycles) if cycles else None)


def time_ratio(ours: Sequence[Reading], others: Sequence[Reading]) -> Comparison:
    """Return our time divided by that of another implementation, paired by block: above 1 we are slower."""
    speeds = [np.array([[1 / reading.cpu_ns] for reading in readings]) for readings in (others, ours)]
    return compare(*speeds)


def _interval(comparison: Comparison) -> str:
    if comparison.interval is None:
        return f"{comparison.ratio:.3f} (too few blocks for an interval)"
    return f"{comparison.ratio:.3f} [{comparison.interval.low:.3f}, {comparison.interval.high:.3f}]"


def _default_first(case: Case) -> tuple[bool, bool, str]:
    return case.provider != "own", not case.is_default, case.name


def print_rows(readings: Readings) -> list[str]:
    """Print each work with our default, its bound, and all others; return the defaults that are too slow."""
    slow = []
    tally = {"lead": 0, "tie": 0, "lose": 0}
    for work in sorted({case.work for case in readings}, key=lambda one: (one.algorithm, one.length_bytes)):
        doing = sorted((case for case in readings if case.work == work), key=_default_first)
        ours = doing[0]
        bound = BOUNDS.get(work.algorithm, math.nan) if work.length_bytes >= KIB else math.nan
        name = f"{work.algorithm} {format_size(work.length_bytes)}"
        print(f"\n{name}" + (f", bound {bound} cycles/byte" if bound > 0 else ""))
        best: Comparison | None = None
        for case in doing:
            cycles = [one.cycles / work.length_bytes for one in readings[case] if one.cycles is not None]
            shown = f"{statistics.median(cycles):9.3f}" if cycles else f"{'unknown':>9}"
            cpu_ns = statistics.median(one.cpu_ns for one in readings[case])
            ratio = "default"
            if case != ours:
                compared = time_ratio(readings[ours], readings[case])
                ratio = f"ours takes {_interval(compared)}"
                if case.provider != "own" and (best is None or compared.ratio > best.ratio):
                    best = compared
                elif case.provider == "own" and compared.interval is not None and compared.interval.low > SLOWER:
                    slow.append(f"{name}: {ours.name}: {ratio} of {case.name}")
            print(f"  {case.name:<18} {cpu_ns:12.1f} ns {shown} c/B  {ratio}")
        if best is not None and best.interval is not None:
            tally["lead" if best.interval.high < 1 else "lose" if best.interval.low > 1 else "tie"] += 1
    print("\nnext to the fastest library: " + ", ".join(f"{name} {count}" for name, count in tally.items()))
    return slow


def find_programs(runners: Path) -> dict[str, Path]:
    """Return the runner of each provider that this machine has."""
    if not (runners / "ciphermark-own").exists():
        raise SystemExit(f"{runners} holds no ciphermark-own: run `make build` first")
    programs = {path.name.removeprefix("ciphermark-"): path for path in sorted(runners.glob("ciphermark-*"))}
    return {name: path for name, path in programs.items() if name not in ("launcher", "driver", "masked")}


def main() -> int:
    """Measure and print; 1 when a default is slower than another variant of ours."""
    given = options(__doc__, only="*", lengths=list(LENGTHS_BYTES), blocks=12, seed=1, runners=RUNNERS)
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    bench = Bench(find_programs(given.runners))
    cases = bench.cases(given.only, given.lengths)
    if not cases:
        raise SystemExit(f"--only {given.only} names no algorithm of ours")
    print(f"{len(cases)} cases in {given.blocks} blocks on core {core}, seed {given.seed}")
    order = random.Random(given.seed)
    for number in range(given.blocks):
        bench.measure_block(cases, order)
        print(f"block {number + 1} of {given.blocks}", file=sys.stderr)
    slow = print_rows(bench.readings)
    print("\n".join(("", "defaults that another variant beats by more than 5 %:", *(slow or ["none"]))))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
