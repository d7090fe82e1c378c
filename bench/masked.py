"""Masked ciphers: time, overhead, random bytes and the part of the generator, against published figures.

32 rows (cipher and degree), 2 to 6 shares, the generators `chacha20` and `free`, 16 and 128 bytes in both directions,
with key setup in each call and without. The published packets include it, but share the key once; key setup shares it
here, and each message shares it again. So times with key setup are compared, and random bytes without. An execution is
one process of `latency` (runners/README.md), which verifies its output; a block has every case once, in random order.
All masked variants of a cipher that this machine has are measured, and the fastest counts. Times are CPU times, the
shortest of all blocks.

The published figures (masked_published.tsv) are of another machine: `factor` is our time over theirs, and `scaled` the
same with both divided by the time of the unmasked cipher there and here.

Usage: .venv/bin/python bench/masked.py [--result FILE] [--blocks 4] [--seed N] [--only GLOB] [--shares 2 3]
       [--key-setup included] [--runner build/runners/ciphermark-own]
       .venv/bin/python bench/masked.py --read FILE
"""

import argparse
import fnmatch
import hashlib
import json
import os
import platform
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench._children import RUNNERS, latency
from bench._masked_cells import (
    GENERATORS,
    KEY_SETUPS,
    LENGTHS_BYTES,
    OPERATIONS,
    SHARES,
    Case,
    Cell,
    Reading,
    all_cases,
    as_rows,
    cells,
    more_random,
    of_rows,
    published,
    published_rows,
    spread,
)
from orchestrator.statistics.rankings.correlation import agreement

CELLS_BELOW = {"chacha20": 150, "free": 140}
"""Aims, of 160 cells."""
ASCON_AIM_NS = 1200
"""ASCON-128, full, 4 shares, 16 bytes, generator `free`."""
MOVES_PRINTED = 3
NOISY_SPREAD = 1.1


def measure(runner: str, work: Sequence[Case], blocks: int, seed: int) -> dict[Case, Reading]:
    """Execute every case once per block, in random order."""
    readings: dict[Case, Reading] = {}
    order = random.Random(seed)
    began = time.monotonic()
    for block in range(blocks):
        for case in order.sample(work, len(work)):
            call_ns, random_wall_ns, random_bytes = execute(runner, case)
            reading = readings.setdefault(case, Reading([], [], random_bytes))
            if reading.random_bytes != random_bytes:
                raise SystemExit(f"{case} drew {random_bytes} random bytes, and {reading.random_bytes} before")
            reading.call_cpu_ns.append(call_ns)
            reading.random_wall_ns.append(random_wall_ns)
        print(f"block {block + 1} of {blocks} done after {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return readings


def execute(runner: str, case: Case) -> tuple[float, float, int]:
    """Return the fastest CPU time of a call in ns, the wall time of drawing its random bytes, and their number."""
    report = latency(Path(runner), *case.arguments(), "--min-time-ms", "0.5", "--timings", "6")
    fastest = min(timing.cpu_ns / timing.iterations for timing in report.timings)
    if report.masking is None:
        return fastest, 0.0, 0
    return fastest, report.masking.random_wall_ns, report.masking.random_bytes


def print_cells(found: Sequence[Cell]) -> None:
    """Print a line for each cell."""
    print("algorithm\tdegree\tshares\tgenerator\tkey_setup\tvariant\te16_ns\te128_ns\td16_ns\td128_ns\toverhead\trandom16"
          "\trandom128\tgenerator16\tgenerator128\tfactor16\tfactor128\tscaled16\tscaled128")  # fmt: skip
    for cell in found:
        words = [*cell.row, str(cell.shares), cell.generator, cell.key_setup, cell.variant]
        words += [f"{cell.ns[operation, length]:.0f}" for operation in OPERATIONS for length in LENGTHS_BYTES]
        words += [f"{cell.overhead:.2f}", *(str(drawn) for drawn in cell.random_bytes.values())]
        words += [f"{cell.random_ns[length] / cell.ns['encrypt', length]:.2f}" for length in LENGTHS_BYTES]
        words += [f"{value:.2f}" for value in (*cell.factors.values(), *cell.scaled.values())]
        print("\t".join(words))


def print_counts(found: Sequence[Cell]) -> bool:
    """Print how many cells are below, and what the others consist of; return whether the aims are met."""
    met = True
    for key_setup in KEY_SETUPS:
        for generator in GENERATORS:
            group = [cell for cell in found if (cell.key_setup, cell.generator) == (key_setup, generator)]
            if not group:
                continue
            missed = [cell for cell in group if not cell.below]
            scaled = sum(all(value < 1 for value in cell.scaled.values()) for cell in group)
            aim = CELLS_BELOW[generator]
            print(
                f"\n{generator}, key setup {key_setup}: {len(group) - len(missed)} of {len(group)} cells are below the "
                f"published time at 16 and at 128 bytes (aim: {aim} of 160); relative to the unmasked cipher: {scaled}"
            )
            for cell in sorted(missed, key=lambda cell: -max(cell.factors.values())):
                print(f"  {' '.join(cell.row)}, {cell.shares} shares, {cell.variant}: {cell.reason()}")
            if key_setup == "included" and len(group) == len(SHARES) * 32:
                met = met and len(group) - len(missed) >= aim
    return met


def print_orders(found: Sequence[Cell]) -> None:
    """Print the agreement of the orders of the rows by overhead with both generators, and the rows that move most."""
    print("\norder of the rows by overhead, with key setup: chacha20 compared with free")
    for shares in SHARES:
        first, second = (
            {
                cell.row: cell.overhead
                for cell in found
                if (cell.shares, cell.generator, cell.key_setup) == (shares, generator, "included")
            }
            for generator in GENERATORS
        )
        orders = agreement(first, second)
        if orders.kendall_tau is None:
            continue
        moves = [
            f"{' '.join(move.row)} {move.first_rank:g} to {move.second_rank:g}" for move in orders.moves[:MOVES_PRINTED]
        ]
        text = f"{shares} shares, {orders.rows} rows: Kendall's tau {orders.kendall_tau:.2f}"
        print(f"  {text}; {'; '.join(moves) or 'no moves'}")


def print_result(readings: dict[Case, Reading]) -> bool:
    """Print everything that follows from the readings; return whether the aims are met."""
    known = published()
    found = cells(readings, known)
    print_cells(found)
    met = print_counts(found)
    for key_setup in KEY_SETUPS:
        lines = more_random([cell for cell in found if cell.key_setup == key_setup], known)
        print(f"\nmore random bytes than the public code, key setup {key_setup}: {'; '.join(lines) or 'none'}")
        # The public code shares the key once for a packet, as we do without key setup; with it, key setup does so, too.
        met = met and (key_setup == "included" or not lines)
    for cell in found:
        form = (cell.row, cell.shares, cell.generator)
        if form == (("ascon-128", "full"), 4, "free"):
            ns = cell.ns["encrypt", 16]
            print(
                f"ASCON-128, full, 4 shares, 16 B, free, key setup {cell.key_setup}: {ns:.0f} ns (aim: {ASCON_AIM_NS})"
            )
            met = met and ns <= ASCON_AIM_NS
    print_orders(found)
    spread_found = spread(readings.values())
    remark = "; the machine was not quiet" if spread_found > NOISY_SPREAD else ""
    print(f"\na block's time over the shortest of all blocks, median of the cases: {spread_found:.3f}{remark}")
    return met


def facts(runner: str, listed: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Return what a reader of the result needs to repeat it."""
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "seed": options.seed,
        "blocks": options.blocks,
        "began_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": models[0].split(":", 1)[1].strip() if models else platform.machine(),
        "load": os.getloadavg(),
        "build": listed["build"],
        "runner_sha256": hashlib.sha256(Path(runner).read_bytes()).hexdigest(),
    }


def parsed_options() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help="pattern of algorithms")
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--seed", type=int, default=None, help="of the order; drawn if absent, and stored")
    parser.add_argument("--shares", type=int, nargs="+", choices=SHARES, default=list(SHARES))
    parser.add_argument("--key-setup", nargs="+", choices=KEY_SETUPS, default=list(KEY_SETUPS))
    parser.add_argument("--runner", default=str(RUNNERS / "ciphermark-own"))
    parser.add_argument("--result", type=Path, help="write conditions and readings to this file")
    parser.add_argument("--read", type=Path, help="measure nothing, evaluate such a file")
    options = parser.parse_args()
    options.seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    return options


def main() -> int:
    """Measure, print the cells, the counts and the orders; 1 if an aim is missed."""
    options = parsed_options()
    if options.read:
        stored = json.loads(options.read.read_text())
        print(json.dumps(stored["facts"]))
        return 0 if print_result(of_rows(stored["readings"])) else 1
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    listed = json.loads(subprocess.run([options.runner, "list"], capture_output=True, text=True, check=True).stdout)
    rows = [row for row in published_rows(published()) if fnmatch.fnmatch(row[0], options.only)]
    conditions = facts(options.runner, listed, options)
    print(json.dumps(conditions), flush=True)
    readings = measure(
        options.runner, all_cases(listed, rows, options.shares, options.key_setup), options.blocks, options.seed
    )
    if options.result:
        options.result.write_text(json.dumps({"facts": conditions, "readings": as_rows(readings)}) + "\n")
    return 0 if print_result(readings) else 1


if __name__ == "__main__":
    sys.exit(main())
