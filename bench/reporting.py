"""Cost of verification and reporting in the figures: none, if they are outside the measured phases.

The same case is executed by the normal runner and by a test build whose digest of the ciphertext is computed ten times
(runners/tests/planted/slow-digest.cpp), in interleaved pairs. `work_wall_ns` must not move, `process_wall_ns` must.

Usage: .venv/bin/python bench/reporting.py [--pairs 60]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import numpy as np

from bench._children import instrument
from bench._options import options
from orchestrator.measurement.runner.commands import ProcessCommand
from orchestrator.statistics.paired import compare
from tests.support.paths import REPOSITORY

INPUT_BYTES = 4 * 1024 * 1024
FIGURES = ("work_wall_ns", "peak_rss_bytes", "process_wall_ns")


def built() -> Path:
    """Build our runner, with and without the fault, and the launcher; return their folder."""
    folder = REPOSITORY / "build" / "tests"
    configure = ["cmake", "--preset", "release", "-S", str(REPOSITORY / "runners"), "-B", str(folder)]
    subprocess.run(configure, check=True, capture_output=True)
    targets = ["--target", "ciphermark-own", "ciphermark-launcher", "planted-slow-digest-own"]
    subprocess.run(["cmake", "--build", str(folder), *targets], check=True, capture_output=True)
    return folder


def command(program: Path, input_file: Path) -> ProcessCommand:
    """Return the measured case: AES-128-CTR over 4 MiB."""
    return ProcessCommand(program, "own", "aes-128-ctr", "bitsliced64", 30.0, 65_536, input_file, INPUT_BYTES)


def main() -> int:
    """Measure, print the ratios; 1 when the work moved beyond what chance explains."""
    given = options(__doc__, pairs=60)
    normal = built()
    slow = normal / "planted" / "slow-digest"
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in FIGURES}
    order = Random(0)
    with tempfile.TemporaryDirectory() as folder, instrument(normal / "ciphermark-launcher") as opened:
        file = Path(folder) / "input"
        file.write_bytes(os.urandom(INPUT_BYTES))
        commands = [command(build / "ciphermark-own", file) for build in (normal, slow)]
        for _ in range(given.pairs):
            found = {}
            for index in order.sample((0, 1), 2):
                measurement = opened.measure(commands[index])
                assert measurement.failure is None, measurement.failure
                found[index] = measurement.columns
            for name in FIGURES:
                figures[name].append((found[1][name] or 0, found[0][name] or 0))
    moved = False
    for name, pairs in figures.items():
        values = np.array(pairs, dtype=np.float64)
        found_ratio = compare(values[:, :1], values[:, 1:])
        low, high = (found_ratio.interval.low, found_ratio.interval.high) if found_ratio.interval else (0.0, 0.0)
        print(f"{name:<18} digest ten times / once: {found_ratio.ratio:.4f}  95 % {low:.4f} to {high:.4f}")
        moved = moved or (name == "work_wall_ns" and not low <= 1 <= high and abs(found_ratio.ratio - 1) > 0.005)
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
