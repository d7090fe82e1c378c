"""Start-up and cost per byte of AES-192-CBC in Botan and Crypto++: T(n) = a + b·n over the lengths of the EvalMe paper.

A fixed cost that is spread over more bytes looks like "Botan is faster with larger files". The script prints both the
throughput of the paper (bytes / whole work) and the cost of one more byte, which does not contain the start-up.

Usage: .venv/bin/python bench/start_up.py [--repetitions 20]
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.database.engine import Database  # noqa: E402
from orchestrator.results.answers import readings  # noqa: E402
from orchestrator.settings import CommonSettings  # noqa: E402
from orchestrator.statistics.location import Location  # noqa: E402
from orchestrator.statistics.scaling import Scaling, scale  # noqa: E402
from orchestrator.units import MIB, format_size  # noqa: E402
from tests.support.system import System  # noqa: E402 (the same way to start everything as in the tests)

PROVIDERS = ("cryptopp", "botan")
SIZES = ("128 KiB", "256 KiB", "512 KiB", "1 MiB", "4 MiB", "8 MiB")
KINDS = ("text", "video")


def plan(repetitions: int) -> dict[str, object]:
    """Return the part of the EvalMe plan that the question is about."""
    inputs = {"kinds": list(KINDS), "sizes": list(SIZES)}
    matrix = {"providers": list(PROVIDERS), "algorithms": ["aes-192-cbc"], "inputs": inputs}
    return {"version": 1, "name": "start-up", "repetitions": repetitions, "matrix": [matrix]}


def fits(system: System, run_id: str) -> dict[str, Scaling]:
    """Return the fit of each provider's work_wall_ns, the kinds of input pooled in each block."""
    database = Database(f"sqlite:///{system.folder / 'ciphermark.sqlite'}")
    with database.read() as session:
        loaded = readings.load(session, run_id)
    found = {}
    for candidate, each in loaded.process.items():
        lengths = sorted({one.length_bytes for one in each.whole_pass})
        columns = [
            np.exp(np.mean([np.log(length * 1e9 / each.whole_pass[one])
                            for one in each.whole_pass if one.length_bytes == length], axis=0))
            for length in lengths
        ]  # fmt: skip
        found[candidate.provider] = scale(np.stack(columns, axis=1), lengths)
    return found


def between(value: Location, unit: str, scale_by: float = 1.0) -> str:
    """Return a value with its 95 % interval."""
    limits = value.interval
    interval = f" (95 % {limits.low * scale_by:.3f} to {limits.high * scale_by:.3f})" if limits else ""
    return f"{value.middle * scale_by:.3f} {unit}{interval}"


def print_fit(provider: str, fit: Scaling) -> bool:
    """Print one provider's fit; return whether a byte of the longest inputs costs less than one of the shortest."""
    print(f"\n{provider}: start-up {between(fit.start_up_ns, 'ms', 1e-6)}, a byte {between(fit.per_byte_ns, 'ns')}")
    lack = fit.lack_of_fit
    if lack is not None:
        worst = format_size(lack.worst_length_bytes)
        print(f"  lack of fit: F {lack.f:.1f}, p {lack.p:.3g}; misses most at {worst}, by {lack.largest_miss:.1%}")
    for length, time_ns in zip(fit.lengths_bytes, fit.times_ns, strict=True):
        without = time_ns - fit.start_up_ns.middle
        print(
            f"  {format_size(length):>8}: {length / MIB / time_ns * 1e9:8.0f} MiB/s as the paper counts,"
            f" {length / MIB / without * 1e9:8.0f} MiB/s without start-up"
        )
    for step in fit.steps:
        print(
            f"  from {format_size(step.from_bytes)} to {format_size(step.to_bytes)}: {between(step.slope, 'ns/byte')}"
        )
    first, last = fit.steps[0].slope.interval, fit.steps[-1].slope.interval
    return first is not None and last is not None and last.high < first.low


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, System(Path(name), CommonSettings().cache_folder) as system:
        system.command("corpus", "build", *(word for size in SIZES for word in ("--size", size)))
        run_id = system.submit(plan(options.repetitions))
        system.wait_for_run(run_id, seconds=1800)
        cheaper = {provider: print_fit(provider, fit) for provider, fit in sorted(fits(system, run_id).items())}
    print()
    for provider, is_cheaper in cheaper.items():
        print(f"{provider}: a byte of the longest inputs {'costs' if is_cheaper else 'does not cost'} less than one of"
              " the shortest, start-up taken out")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
