"""Our ciphers compared with Crypto++, Botan and OpenSSL: the same loop, one core, a random order in each block.

Every execution is one process of `latency` (runners/README.md) on the highest-numbered core; the runner of
OpenSSL is built by bench/native. A block holds each case once, in random order, and two implementations are
compared within blocks. Times are CPU times; cycles are the kernel's where it counts them, else derived. All of it takes
about half an hour, `--quick` half of that.

The lightweight AEADs are compared with ChaCha20-Poly1305 in portable code: clocks differ between machines, the ratio of
two ciphers in one run much less.

Usage: .venv/bin/python bench/ciphers.py [--only GLOB] [--quick] [--blocks 12] [--runners build/runners]
"""

import argparse
import fnmatch
import math
import os
import random
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import ValidationError

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.shared.units import KIB, MIB, format_size  # noqa: E402
from orchestrator.statistics.paired import Comparison, compare  # noqa: E402 (the statistics of the service)
from orchestrator.wire.runners import Implementation, LatencyReport, ListReport  # noqa: E402

LENGTHS_BYTES = (16, 64, KIB, 4 * KIB, 8 * KIB, 64 * KIB, MIB)
LIGHTWEIGHT_LENGTHS_BYTES = (16, 64, KIB, 4 * KIB)
COUNTS_AS_REACHED = 0.97
WORK = (
    ("aes-128-ctr", "encrypt"),
    ("aes-192-ctr", "encrypt"),
    ("aes-256-ctr", "encrypt"),
    ("aes-192-cbc", "encrypt"),
    ("aes-192-cbc", "decrypt"),
    ("3des-192-cbc", "encrypt"),
    ("salsa20-256", "encrypt"),
    ("chacha20-256", "encrypt"),
    ("chacha20-ietf", "encrypt"),
    ("chacha20-poly1305", "encrypt"),
    ("ascon-aead128", "encrypt"),
    ("tinyjambu-128", "encrypt"),
    ("speck-128-128-ctr", "encrypt"),
    ("simon-128-128-ctr", "encrypt"),
)
LIGHTWEIGHT_NS = {
    "gift-cofb": (594, 47_900),
    "gimli-24": (414, 27_300),
    "knot-aead-128-256": (294, 32_500),
    "knot-aead-128-384": (393, 18_500),
    "knot-aead-192-384": (572, 50_400),
    "knot-aead-256-512": (689, 46_700),
    "pyjamask-128-aead": (752, 46_700),
    "pyjamask-96-aead": (845, 55_600),
    "spix": (1879, 80_600),
    "spoc-128": (565, 73_300),
    "spoc-64": (1317, 169_600),
    "spook-128-512-su": (441, 19_400),
    "spook-128-384-su": (363, 29_300),
    "xoodyak": (162, 6_660),
    "drygascon128k16": (558, 66_100),
    "isap-k-128a": (2559, 39_400),
    "isap-a-128a": (1609, 30_900),
}
"""Times of good public code for 16 and 4096 bytes without associated data on an x86-64 of 3.5 GHz, in nanoseconds.

Portable C; with AVX-512 for Xoodyak and ISAP-K-128A, with SIMD for ISAP-A-128A.
"""
LIGHTWEIGHT = (
    *LIGHTWEIGHT_NS,
    *("spook-128-512-mu", "spook-128-384-mu", "xoodyak-round2", "isap-k-128", "isap-a-128"),
    *("drygascon128k32", "drygascon128k56", "drygascon256k32"),
)
YARDSTICK = ("chacha20-poly1305", "ref64")
YARDSTICK_NS = {16: 309, 4 * KIB: 12_100}
"""Times of the same machine for the algorithm and variant that lightweight ciphers are compared with."""


@dataclass(frozen=True)
class Work:
    """Work that implementations are compared on."""

    algorithm: str
    operation: str
    length_bytes: int


@dataclass(frozen=True)
class Case:
    """One implementation at one work."""

    work: Work
    provider: str
    variant: str
    is_default: bool

    @property
    def name(self) -> str:
        """Return the provider, and of our own the variant."""
        return f"own {self.variant}" if self.provider == "own" else self.provider


@dataclass(frozen=True)
class Reading:
    """One execution: the median of its timings, per message; cycles are None if the clock was not stable."""

    cpu_ns: float
    cycles: float | None


@dataclass(frozen=True)
class Aim:
    """Target speed of one of our implementations.

    Either a maximum of cycles per message, or a maximum ratio to the yardstick; without both, the speed of OpenSSL.
    """

    work: Work
    variant: str | None  # None: the default one
    words: str
    cycles: float | None = None
    yardsticks: float | None = None


def _as_fast_as_openssl(algorithm: str, operation: str) -> Iterable[Aim]:
    for length in (8 * KIB, MIB):
        work = Work(algorithm, operation, length)
        yield Aim(work, None, f"{algorithm} {operation} at {format_size(length)}: 1.0 x OpenSSL")


def _against_the_yardstick(algorithm: str, figures_ns: tuple[int, int], variant: str | None = None) -> Iterable[Aim]:
    for figure_ns, (length, yardstick_ns) in zip(figures_ns, YARDSTICK_NS.items(), strict=True):
        times = figure_ns / yardstick_ns
        name = f"{algorithm} {variant or 'default'}"
        words = f"{name} at {format_size(length)}: at most {times:.2f} x {' '.join(YARDSTICK)}"
        yield Aim(Work(algorithm, "encrypt", length), variant, words, yardsticks=times)


def _cycles_per_byte(algorithm: str, length: int, most: float, variant: str | None = None) -> Aim:
    words = f"{algorithm} {variant or 'default'} at {format_size(length)}: at most {most} cycles per byte"
    return Aim(Work(algorithm, "encrypt", length), variant, words, cycles=most * length)


ASCON_SHORT = Aim(
    Work("ascon-aead128", "encrypt", 16),
    None,
    "ascon-aead128 default at 16 B: at most 130 ns at 3.5 GHz",
    cycles=130 * 3.5,
)
AIMS = (
    *_as_fast_as_openssl("aes-128-ctr", "encrypt"),
    *_as_fast_as_openssl("aes-192-ctr", "encrypt"),
    *_as_fast_as_openssl("aes-256-ctr", "encrypt"),
    *_as_fast_as_openssl("aes-192-cbc", "decrypt"),
    *_as_fast_as_openssl("chacha20-256", "encrypt"),
    *_as_fast_as_openssl("chacha20-ietf", "encrypt"),
    _cycles_per_byte("aes-128-ctr", 4 * KIB, 22, "bitsliced64"),
    _cycles_per_byte("ascon-aead128", 4 * KIB, 7.5),
    ASCON_SHORT,
    _cycles_per_byte("tinyjambu-128", 4 * KIB, 36, "sse2"),
    _cycles_per_byte("tinyjambu-128", 4 * KIB, 31, "avx512"),
    _cycles_per_byte("tinyjambu-128", 4 * KIB, 45, "scalar"),
    _cycles_per_byte("speck-128-128-ctr", 64 * KIB, 0.75),
    _cycles_per_byte("simon-128-128-ctr", 64 * KIB, 1.5),
    *(aim for algorithm, figures_ns in LIGHTWEIGHT_NS.items() for aim in _against_the_yardstick(algorithm, figures_ns)),
    *_against_the_yardstick("isap-k-128a", (8945, 103_000), "words"),  # portable code against portable code
)
QUICK_LENGTHS_BYTES = tuple(sorted({aim.work.length_bytes for aim in AIMS}))


class Bench:
    """The runners, their core, and all readings."""

    def __init__(self, programs: dict[str, Path], core: int, timing_arguments: Sequence[str]) -> None:
        """Use one runner per provider, given by its path."""
        self._programs = programs
        self._core = core
        self._timing_arguments = timing_arguments
        self.readings: dict[Case, list[Reading]] = defaultdict(list)

    def cases(self, only: str, lengths: Sequence[int]) -> list[Case]:
        """Return every available implementation of the algorithms that the glob matches, at every length."""
        offered = {provider: self._implementations(provider) for provider in self._programs}
        return [
            Case(Work(algorithm, operation, length), provider, row.variant or "", row.default)
            for algorithm, operation in (*WORK, *((algorithm, "encrypt") for algorithm in LIGHTWEIGHT))
            if fnmatch.fnmatchcase(algorithm, only) or (algorithm == YARDSTICK[0] and only_lightweight(only))
            for provider, rows in offered.items()
            for row in rows
            if row.algorithm == algorithm
            for length in lengths
            if algorithm not in LIGHTWEIGHT or length in LIGHTWEIGHT_LENGTHS_BYTES
        ]

    def _implementations(self, provider: str) -> list[Implementation]:
        listed = subprocess.run([self._programs[provider], "list"], check=True, capture_output=True).stdout
        return [row for row in ListReport.model_validate_json(listed).implementations if row.available]

    def measure_block(self, cases: Sequence[Case], order: random.Random) -> None:
        """Execute each case once, in random order."""
        for case in order.sample(list(cases), len(cases)):
            self.readings[case].append(self._execute(case))

    def _execute(self, case: Case) -> Reading:
        work = case.work
        command = [str(self._programs[case.provider]), "latency", "--algorithm", work.algorithm]
        command += ["--variant", case.variant, "--operation", work.operation, "--length", str(work.length_bytes)]
        ended = subprocess.run(
            ["taskset", "--cpu-list", str(self._core), *command, *self._timing_arguments],
            capture_output=True,
            check=False,
        )
        try:
            report = LatencyReport.model_validate_json(ended.stdout)
        except ValidationError as error:
            raise SystemExit(f"{' '.join(command)}: {ended.stderr.decode().strip()}") from error
        if not report.verified:
            raise SystemExit(f"{' '.join(command)}: {ended.stderr.decode().strip()}")
        return _reading(report)


def only_lightweight(only: str) -> bool:
    """Return whether the glob matches an algorithm that is compared with the yardstick."""
    return any(fnmatch.fnmatchcase(algorithm, only) for algorithm in LIGHTWEIGHT)


def _reading(report: LatencyReport) -> Reading:
    cycles = [
        seen / timing.iterations
        for timing in report.timings
        if (seen := timing.derived_cycles if timing.cycles is None else float(timing.cycles)) is not None
    ]
    per_call = [timing.cpu_ns / timing.iterations for timing in report.timings]
    return Reading(statistics.median(per_call), statistics.median(cycles) if cycles else None)


def speed_ratio(first: Sequence[Reading], second: Sequence[Reading]) -> Comparison:
    """Return the speed of the first relative to the second, paired by block."""
    speeds = [np.array([[1 / reading.cpu_ns] for reading in readings]) for readings in (first, second)]
    return compare(*speeds)


def cycles_ratio(aimed: float, readings: Sequence[Reading]) -> Comparison | None:
    """Return the speed of the readings relative to the aim; None if the clock was not stable."""
    seen = [[math.nan if reading.cycles is None else 1 / reading.cycles] for reading in readings]
    if all(math.isnan(row[0]) for row in seen):
        return None
    return compare(np.array(seen), np.full((len(seen), 1), 1 / aimed))


def time_ratio(times: float, yardstick: Sequence[Reading], readings: Sequence[Reading]) -> Comparison:
    """Return the speed of the readings relative to the aim (`times` the yardstick), paired by block."""
    aimed = np.array([[1 / (times * reading.cpu_ns)] for reading in yardstick])
    return compare(np.array([[1 / reading.cpu_ns] for reading in readings]), aimed)


def _yardstick(readings: dict[Case, list[Reading]], length_bytes: int) -> list[Reading]:
    work, variant = Work(YARDSTICK[0], "encrypt", length_bytes), YARDSTICK[1]
    return next(seen for case, seen in readings.items() if (case.work, case.name) == (work, f"own {variant}"))


def _interval(comparison: Comparison) -> str:
    if comparison.interval is None:
        return f"{comparison.ratio:.3f} (too few blocks for an interval)"
    return f"{comparison.ratio:.3f} [{comparison.interval.low:.3f}, {comparison.interval.high:.3f}]"


def _own_default_first(case: Case) -> tuple[bool, bool, str]:
    return case.provider != "own", not case.is_default, case.name


def print_tables(readings: dict[Case, list[Reading]]) -> None:
    """Print the times of each work, and the relative speed of our default."""
    works = sorted({case.work for case in readings}, key=lambda w: (w.algorithm, w.operation, w.length_bytes))
    heading = ""
    for work in works:
        if heading != (heading := f"{work.algorithm} {work.operation}"):
            print(f"\n{heading}\n{'length':>9} {'implementation':<16} {'ns/message':>12} {'cycles/byte':>11}  ", end="")
            print("relative speed of our default [95 %]")
        doing = sorted((case for case in readings if case.work == work), key=_own_default_first)
        ours = doing[0]
        for case in doing:
            cycles = [r.cycles / work.length_bytes for r in readings[case] if r.cycles is not None]
            shown = f"{statistics.median(cycles):11.3f}" if cycles else f"{'unknown':>11}"
            cpu_ns = statistics.median(r.cpu_ns for r in readings[case])
            ratio = "default" if case == ours else _interval(speed_ratio(readings[ours], readings[case]))
            print(f"{format_size(work.length_bytes):>9} {case.name:<16} {cpu_ns:12.1f} {shown}  {ratio}")


def judge(aim: Aim, readings: dict[Case, list[Reading]]) -> tuple[bool | None, str]:
    """Return whether the aim is reached (None: not measurable here), and the figures or the reason."""
    doing = {case: seen for case, seen in readings.items() if case.work == aim.work}
    ours = [
        seen
        for case, seen in doing.items()
        if case.provider == "own" and (case.is_default if aim.variant is None else case.variant == aim.variant)
    ]
    if not ours:
        return None, "this processor has no such variant" if doing else "not measured"
    if aim.cycles is not None:
        comparison = cycles_ratio(aim.cycles, ours[0])
    elif aim.yardsticks is not None:
        comparison = time_ratio(aim.yardsticks, _yardstick(readings, aim.work.length_bytes), ours[0])
    else:
        theirs = [seen for case, seen in doing.items() if case.provider == "openssl"]
        if not theirs:
            return None, "OpenSSL is not installed"
        comparison = speed_ratio(ours[0], theirs[0])
    if comparison is None:
        return None, "the clock of the core is not known"
    reached = None if comparison.interval is None else comparison.interval.low >= COUNTS_AS_REACHED
    return reached, f"{_interval(comparison)} of the speed aimed at"


def print_aims(readings: dict[Case, list[Reading]], only: str) -> bool:
    """Print every aim with its outcome; False when one was missed."""
    print(f"\nAims (reached: the lower limit of the ratio is at least {COUNTS_AS_REACHED})")
    outcomes = []
    for aim in AIMS:
        if not fnmatch.fnmatchcase(aim.work.algorithm, only):
            continue
        reached, figures = judge(aim, readings)
        outcomes.append(reached)
        word = {True: "reached", False: "NOT reached", None: "unknown"}[reached]
        print(f"{word:>12}  {aim.words}: {figures}")
    return False not in outcomes


def build_openssl_runner(folder: Path) -> Path | None:
    """Build the program that calls OpenSSL like a runner; None where its headers are not installed."""
    configure = ["cmake", "-G", "Ninja", "-S", str(ROOT / "bench" / "native"), "-B", str(folder)]
    subprocess.run(configure, check=True, capture_output=True)
    target = ["cmake", "--build", str(folder), "--target", "ciphermark-openssl"]
    built = subprocess.run(target, check=False, capture_output=True, text=True)
    if built.returncode == 0:
        return folder / "ciphermark-openssl"
    print(f"OpenSSL is left out: {(built.stdout + built.stderr).strip().splitlines()[-1]} (libssl-dev?)")
    return None


def find_programs(runners: Path) -> dict[str, Path]:
    """Return the runner of each provider that this machine has."""
    if not (runners / "ciphermark-own").exists():
        raise SystemExit(f"{runners} holds no ciphermark-own: run `make build` first")
    programs = {provider: runners / f"ciphermark-{provider}" for provider in ("own", "cryptopp", "botan")}
    if openssl := build_openssl_runner(ROOT / "build" / "bench"):
        programs["openssl"] = openssl
    return {provider: path for provider, path in programs.items() if path.exists()}


def main() -> int:
    """Measure and print; 1 when an aim that could be measured was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="GLOB", help="the algorithms, like 'aes-*'")
    parser.add_argument("--quick", action="store_true", help="the lengths of the aims alone, and shorter timings")
    parser.add_argument("--blocks", type=int, default=12, help="6 or more, or there are no intervals")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument("--runners", type=Path, default=ROOT / "build" / "runners")
    options = parser.parse_args()
    timing = ("--min-time-ms", "1", "--timings", "5") if options.quick else ("--min-time-ms", "3", "--timings", "5")
    core = max(os.sched_getaffinity(0))
    bench = Bench(find_programs(options.runners), core, timing)
    cases = bench.cases(options.only, QUICK_LENGTHS_BYTES if options.quick else LENGTHS_BYTES)
    if not cases:
        raise SystemExit(f"--only {options.only} names none of {', '.join(sorted({name for name, _ in WORK}))}")
    print(f"{len(cases)} cases in {options.blocks} blocks on core {core}, seed {options.seed}")
    order = random.Random(options.seed)
    for number in range(options.blocks):
        bench.measure_block(cases, order)
        print(f"block {number + 1} of {options.blocks}", file=sys.stderr)
    print_tables(bench.readings)
    return 0 if print_aims(bench.readings, options.only) else 1


if __name__ == "__main__":
    sys.exit(main())
