"""Order of masked ciphers on ARM: instructions of a call under emulation, and the rank correlation with times here.

qemu-user logs each block of instructions that it executes, and once the instructions of each block (`-d nochain,exec,
in_asm`, in the manual of QEMU; Debian's qemu-user-static is built without its plugin interface). What is counted is
between the entry of a timed call and its return to the loop of `latency`, so that the counts do not depend on the load
of this machine. They are instructions, not cycles: caches, pipelines and the width of a core are not in them.

The order is that of the rows by the paper's overhead, of instructions or of times, here e128 + 3 e16 masked over
unmasked unless `--operations` adds decryption. Times are those of a result of `masked.py` (`--result`), without key
setup.

Usage: .venv/bin/python bench/masked_instructions.py --runner build/runners-rpi-aarch64/ciphermark-own
       [--emulator qemu-aarch64-static] [--shares 3] [--operations encrypt decrypt] [--only GLOB] [--times FILE]
       [--result FILE]
"""

import argparse
import fnmatch
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench._masked_cells import (
    GENERATORS,
    OPERATIONS,
    SHARES,
    Case,
    Cell,
    Reading,
    Row,
    all_cases,
    as_rows,
    cells,
    of_rows,
    published,
    published_rows,
)
from orchestrator.statistics.rankings.correlation import agreement

KEY_SETUP = "apart"
MOVES_PRINTED = 5
MIN_CALLS = 3
# The functions of runners/include/ciphermark/describe.h that a timed call goes through, and their caller.
CALL = re.compile(r"border\d(seal|open)I")
TIMED = "TimedWork"
# Trace 0: <host address> [<flags>/<guest address>/...] <symbol>
TRACE = re.compile(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/[^\]]*\] ?(.*)")
EMULATORS = {183: "qemu-aarch64-static", 40: "qemu-arm-static"}
"""By the machine in the header of an ELF file."""


def timed_calls(log: Iterable[str]) -> list[int]:
    """Return the instructions of each timed call, out of a log of QEMU."""
    block_sizes: dict[int, int] = {}
    block: int | None = None
    calls: list[int] = []
    caller: str | None = None
    before, count = "", 0
    for line in log:
        if line.startswith("0x"):  # an instruction of a block that is translated
            if block is None:
                block = int(line.split(":", 1)[0], 16)
                block_sizes[block] = 0
            block_sizes[block] += 1
            continue
        block = None
        if not line.startswith("Trace"):
            continue
        executed = TRACE.match(line)
        if executed is None:
            raise SystemExit(f"unexpected line in the log of QEMU: {line.rstrip()}")
        address, symbol = int(executed[1], 16), executed[2]
        if caller is not None and symbol != caller:
            count += block_sizes[address]
        elif caller is not None:
            calls.append(count)
            caller = None
        elif TIMED in before and CALL.search(symbol):
            caller, count = before, block_sizes[address]
        before = symbol
    return calls


def execute(emulator: str, runner: str, case: Case, folder: Path) -> Reading:
    """Return the mean of the instructions of the timed calls of a case."""
    pipe = folder / "log"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    command = [emulator, "-d", "nochain,exec,in_asm", "-D", str(pipe), runner]
    command += ["latency", *case.arguments(), "--min-time-ms", "0.1", "--timings", str(MIN_CALLS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with pipe.open(errors="replace") as log:
            calls = timed_calls(log)
        printed, error = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {error.strip()}")
    if len(calls) < MIN_CALLS:
        raise SystemExit(f"{' '.join(command)}: {len(calls)} timed calls in the log, expected {MIN_CALLS} or more")
    masking = json.loads(printed)["masking"]
    return Reading([statistics.mean(calls)], [0.0], masking["random_bytes"] if masking else 0)


def overheads(found: Sequence[Cell], shares: int, generator: str) -> dict[Row, float]:
    """Return the overhead of each row."""
    form = (shares, generator, KEY_SETUP)
    return {cell.row: cell.overhead for cell in found if (cell.shares, cell.generator, cell.key_setup) == form}


def print_agreement(title: str, first: dict[Row, float], second: dict[Row, float]) -> None:
    """Print the rank correlation of two orders, and the rows that move most."""
    orders = agreement(first, second)
    if orders.kendall_tau is None:
        print(f"{title}: fewer than two rows")
        return
    moves = [
        f"{' '.join(move.row)} {move.first_rank:g} to {move.second_rank:g}" for move in orders.moves[:MOVES_PRINTED]
    ]
    print(f"{title}: {orders.rows} rows, Kendall's tau {orders.kendall_tau:.2f}, Spearman's rho "
          f"{orders.spearman_rho:.2f}; {'; '.join(moves) or 'no moves'}")  # fmt: skip


def emulator_of(runner: str) -> str:
    """Return the emulator for the machine of a program."""
    machine = int.from_bytes(Path(runner).read_bytes()[18:20], "little")
    if machine not in EMULATORS:
        raise SystemExit(f"{runner} is of ELF machine {machine}; expected aarch64 or armhf (--emulator names another)")
    return EMULATORS[machine]


def parsed_options() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True, help="statically linked, with symbols")
    parser.add_argument("--emulator", help="by the machine of the runner if absent")
    parser.add_argument("--shares", type=int, nargs="+", choices=SHARES, default=[3])
    parser.add_argument("--operations", nargs="+", choices=OPERATIONS, default=["encrypt"])
    parser.add_argument("--only", default="*", help="pattern of algorithms")
    parser.add_argument("--times", type=Path, help="a result of masked.py, to compare with")
    parser.add_argument("--result", type=Path, help="write the counts to this file")
    return parser.parse_args()


def main() -> int:
    """Count, print the overheads and the correlations."""
    options = parsed_options()
    emulator = options.emulator or emulator_of(options.runner)
    command = [emulator, options.runner, "list"]
    listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    rows = [row for row in published_rows(published()) if fnmatch.fnmatch(row[0], options.only)]
    with tempfile.TemporaryDirectory() as folder:
        readings = {
            case: execute(emulator, options.runner, case, Path(folder))
            for case in all_cases(listed, rows, options.shares, [KEY_SETUP], options.operations)
        }
    if options.result:
        options.result.write_text(json.dumps({"facts": listed["build"], "readings": as_rows(readings)}) + "\n")
    found = cells(readings, published())
    print("algorithm\tdegree\tshares\tgenerator\tvariant\te16_instructions\te128_instructions\toverhead")
    for cell in found:
        counts = (cell.ns["encrypt", 16], cell.ns["encrypt", 128])
        print(*cell.row, cell.shares, cell.generator, cell.variant, *(f"{n:.0f}" for n in counts),
              f"{cell.overhead:.2f}", sep="\t")  # fmt: skip
    for shares in options.shares:
        print_agreement(f"{shares} shares, chacha20 and free, instructions",
                        *(overheads(found, shares, generator) for generator in GENERATORS))  # fmt: skip
    if options.times:
        stored = of_rows(json.loads(options.times.read_text())["readings"])
        timed = cells({case: stored[case] for case in stored if case.operation in options.operations}, published())
        for shares in options.shares:
            for generator in GENERATORS:
                print_agreement(f"{shares} shares, {generator}, times here and instructions there",
                                *(overheads(each, shares, generator) for each in (timed, found)))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
