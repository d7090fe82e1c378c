"""Masked ciphers: time, overhead, random bytes and the part of the generator, against published figures.

Every execution is one process of `latency` (runners/README.md). The masked variants of a cipher that this machine has
are compared, and the fastest of each row, number of shares and generator is what counts; a block holds every case
once, in random order, and a figure is the median over blocks of the fastest timing. Times are CPU times.
The published figures (masked_published.tsv) are of another machine: `factor` is our time over theirs, and `scaled` the
same with both divided by the time of the unmasked cipher there and here.

Usage: .venv/bin/python bench/masked.py [--only GLOB] [--blocks 3] [--shares 2 3] [--variants GLOB]
       [--runner build/runners/ciphermark-own] [--cells FILE]
"""

import argparse
import csv
import fnmatch
import json
import os
import random
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PUBLISHED = Path(__file__).with_name("masked_published.tsv")
GENERATORS = ("free", "chacha20")
LENGTHS_BYTES = (16, 128)
OPERATIONS = ("encrypt", "decrypt")
# The rows of the page, as (algorithm, degree).
UNMASKED = "-"


@dataclass(frozen=True, slots=True)
class Case:
    """One timed case; degree, shares and generator are those of `--masking`, or "-" and 1 where nothing is masked."""

    algorithm: str
    variant: str
    degree: str
    shares: int
    generator: str
    operation: str
    message_bytes: int

    def arguments(self) -> list[str]:
        """Return the arguments of `latency`."""
        words = ["--algorithm", self.algorithm, "--operation", self.operation, "--length", str(self.message_bytes)]
        if self.degree == UNMASKED:
            return words
        masking = ["--shares", str(self.shares), "--masking", self.degree, "--generator", self.generator]
        return [*words, "--variant", self.variant, *masking]


@dataclass(frozen=True, slots=True)
class Reading:
    """Nanoseconds of CPU time of a call, the random bytes that it takes, and the nanoseconds of drawing these alone."""

    call_ns: float
    random_bytes: int
    random_ns: float


def published() -> dict[tuple[str, str, str, str, str, str], float]:
    """Return the published figures by (figure, algorithm, degree, generator, bytes, shares)."""
    with PUBLISHED.open() as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        names = ("figure", "algorithm", "degree", "generator", "bytes", "shares")
        return {tuple(row[name] for name in names): float(row["value"]) for row in rows}  # type: ignore[misc]


def read(runner: str, case: Case) -> Reading:
    """Execute a case; the runner verifies its output."""
    command = [runner, "latency", *case.arguments(), "--min-time-ms", "1", "--timings", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    fastest = min(timing["cpu_ns"] / timing["iterations"] for timing in report["timings"])
    masking = report["masking"] or {"random_bytes": 0, "random_wall_ns": 0.0}
    return Reading(fastest, masking["random_bytes"], masking["random_wall_ns"])


def cases(runner: str, only: str, variants: str, shares: list[int]) -> list[Case]:
    """Return every case of the rows that the runner has."""
    listed = json.loads(subprocess.run([runner, "list"], capture_output=True, text=True, check=True).stdout)
    rows = sorted({(key[1], key[2]) for key in published() if key[0] == "ns"})
    made: list[Case] = []
    for algorithm, degree in rows:
        if not fnmatch.fnmatch(algorithm, only):
            continue
        plain = [Case(algorithm, "", UNMASKED, 1, UNMASKED, op, n) for op in OPERATIONS for n in LENGTHS_BYTES]
        made += [case for case in plain if case not in made]
        for row in listed["implementations"]:
            masking = row.get("masking")
            if row["algorithm"] != algorithm or not row["available"] or not masking:
                continue
            if degree not in masking["degrees"] or not fnmatch.fnmatch(row["variant"], variants):
                continue
            made += [
                Case(algorithm, row["variant"], degree, count, generator, operation, length)
                for count in shares
                for generator in GENERATORS
                for operation in OPERATIONS
                for length in LENGTHS_BYTES
            ]
    return made


def overhead(times: dict[tuple[str, int], float], plain: dict[tuple[str, int], float]) -> float:
    """Return the quotient of the paper: (e128 + d128 + 3 e16 + 3 d16), masked over unmasked."""
    weights = {16: 3, 128: 1}
    masked, unmasked = (
        sum(weights[length] * kind[operation, length] for operation in OPERATIONS for length in LENGTHS_BYTES)
        for kind in (times, plain)
    )
    return masked / unmasked


def parsed_options() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*")
    parser.add_argument("--variants", default="*")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--shares", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--runner", default=str(ROOT / "build" / "runners" / "ciphermark-own"))
    parser.add_argument("--cells", type=Path)
    return parser.parse_args()


def main() -> int:
    """Measure, print a line for each row, number of shares and generator, and count the cells that are faster."""
    options = parsed_options()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    work = cases(options.runner, options.only, options.variants, options.shares)
    readings: dict[Case, list[Reading]] = defaultdict(list)
    order = random.Random(0)
    for _ in range(options.blocks):
        for case in order.sample(work, len(work)):
            readings[case].append(read(options.runner, case))
    ns = {case: statistics.median(reading.call_ns for reading in found) for case, found in readings.items()}
    known = published()
    lines = [
        "algorithm\tdegree\tshares\tgenerator\tvariant\te16_ns\te128_ns\td16_ns\td128_ns\toverhead\trandom16\trandom128"
        "\tgenerator_share\tfactor16\tfactor128\tscaled16\tscaled128"
    ]
    faster: dict[str, list[bool]] = defaultdict(list)
    more_random: list[str] = []
    for algorithm, degree, count, generator in sorted(
        {(c.algorithm, c.degree, c.shares, c.generator) for c in work if c.degree != UNMASKED}
    ):
        group = [
            c for c in work if (c.algorithm, c.degree, c.shares, c.generator) == (algorithm, degree, count, generator)
        ]
        by_variant = {
            variant: {(c.operation, c.message_bytes): c for c in group if c.variant == variant}
            for variant in {c.variant for c in group}
        }
        variant, chosen = min(by_variant.items(), key=lambda item: sum(ns[case] for case in item[1].values()))
        times = {place: ns[case] for place, case in chosen.items()}
        plain = {
            (c.operation, c.message_bytes): ns[c] for c in work if c.degree == UNMASKED and c.algorithm == algorithm
        }
        factors, scaled = [], []
        for length in LENGTHS_BYTES:
            theirs = known["ns", algorithm, degree, generator, str(length), str(count)]
            factors.append(times["encrypt", length] / theirs)
            unmasked = known["ns", algorithm, degree, "-", str(length), "1"]
            scaled.append(factors[-1] * unmasked / plain["encrypt", length])
            kind = "full" if degree == "full" else "key-only"
            limit = known.get(("random_bytes", algorithm, kind, "-", str(length), str(count)))
            drawn = readings[chosen["encrypt", length]][0].random_bytes
            if limit is not None and drawn > limit:
                more_random.append(f"{algorithm} {degree} {count} shares {length} B: {drawn} > {limit:.0f}")
        faster[generator].append(all(factor < 1 for factor in factors))
        drawing = readings[chosen["encrypt", 128]]
        part = statistics.median(reading.random_ns for reading in drawing) / times["encrypt", 128]
        random_bytes = [readings[chosen["encrypt", length]][0].random_bytes for length in LENGTHS_BYTES]
        figures = [
            f"{times[place]:.0f}" for place in (("encrypt", 16), ("encrypt", 128), ("decrypt", 16), ("decrypt", 128))
        ]
        lines.append(
            "\t".join(
                [
                    algorithm,
                    degree,
                    str(count),
                    generator,
                    variant,
                    *figures,
                    f"{overhead(times, plain):.2f}",
                    *map(str, random_bytes),
                    f"{part:.2f}",
                    *(f"{value:.2f}" for value in (*factors, *scaled)),
                ]
            )
        )
    text = "\n".join(lines)
    print(text)
    if options.cells:
        options.cells.write_text(text + "\n")
    for generator, found in faster.items():
        print(
            f"{generator}: {sum(found)} of {len(found)} cells are faster than the published time at 16 and at 128 bytes"
        )
    print(f"more random bytes than published: {'; '.join(more_random) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
