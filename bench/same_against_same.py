"""Rate of false differences, and of found slow-downs of 2 %, through the whole system.

One run executes many copies of one case, interleaved as every run is; copies are compared two by two with the
statistics of the answer, before Holm's correction. The same executions in order of time, as if each case had been
finished before the next began, show the effect of interleaving. A second run compares our runner under another name
with one that takes 2 % longer (runners/tests/planted), with the repetitions that the preview names for 2 %.

Usage: .venv/bin/python bench/same_against_same.py [--pairs 2000] [--repetitions 12] [--planted 40]
"""

import math
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from bench._children import RUNNERS
from bench._options import options
from bench._rates import report
from orchestrator.database.engine import Database
from orchestrator.results.answers import readings
from orchestrator.shared.settings import CommonSettings
from orchestrator.statistics.paired import Comparison, Floats, compare
from tests.support.runner_programs import build_planted
from tests.support.system import System

ALGORITHM = "aes-128-ctr"
SAME_SIZE, PLANTED_SIZE = "128 KiB", "1 MiB"
"""Short executions, because there are many of them; and as long as the control workload, whose spread is what the
preview knows."""
VARIANTS = ["bitsliced64", "ref"]
MAX_COPIES = 1000
"""Of a case in one run."""
SLOWER = 0.02
FALSE_LIMIT = 0.065
FOUND_LIMIT = 0.9


def runners(folder: Path) -> Path:
    """Return a folder with our runner, an equal one under the name of Crypto++ and a slower one under that of Botan."""
    folder.mkdir()
    for program in ("ciphermark-own", "ciphermark-launcher"):
        shutil.copy2(RUNNERS / program, folder / program)
    shutil.copy2(build_planted("cryptopp", "control"), folder / "ciphermark-cryptopp")
    shutil.copy2(build_planted("botan", "slower"), folder / "ciphermark-botan")
    return folder


def plan(providers: list[str], variants: list[str], size: str, copies: int, repetitions: int) -> dict[str, object]:
    """Return a plan of copies of one case for each provider and variant."""
    inputs = {"kinds": ["text"], "sizes": [size]}
    matrix = {"providers": providers, "algorithms": [ALGORITHM], "variants": variants, "inputs": inputs}
    return {"version": 1, "name": "same", "repetitions": repetitions, "matrix": [matrix | {"copies": copies}]}


def speeds(system: System, run_id: str) -> dict[readings.Candidate, Floats]:
    """Return each candidate's encryption speeds, shape (blocks, 1), as the answer compares them."""
    database = Database(f"sqlite:///{system.folder / 'ciphermark.sqlite'}")
    with database.read() as session:
        loaded = readings.load(session, run_id)
    inputs = sorted({one for each in loaded.process.values() for one in each.of("encrypt")})
    return {candidate: each.speeds("encrypt", inputs) for candidate, each in sorted(loaded.process.items())}


def in_order_of_time(system: System, run_id: str, repetitions: int) -> dict[str, list[Floats]]:
    """Return the same executions cut into cases as they followed each other: what a blocked order would have been."""
    rows = system.rows(
        "SELECT c.variant, c.message_bytes * 1e9 / json_extract(e.phase_wall_ns, '$.encrypt') AS speed"
        " FROM executions e"
        " JOIN cases c ON c.id = e.case_id WHERE e.run_id = ? AND e.state = 'ok' ORDER BY e.position",
        run_id,
    )
    found: dict[str, list[Floats]] = {}
    for variant in sorted({row["variant"] for row in rows}):
        line = np.array([row["speed"] for row in rows if row["variant"] == variant])
        whole = line[: len(line) // repetitions * repetitions].reshape(-1, repetitions, 1)
        found[variant] = list(whole)
    return found


def compare_adjacent(cases: list[Floats], noise_floor: float) -> list[Comparison]:
    """Compare first with second, third with fourth …: no case is in two comparisons."""
    return [
        compare(first, second, noise_floor=noise_floor) for first, second in zip(cases[::2], cases[1::2], strict=False)
    ]


def report_rate(what: str, comparisons: list[Comparison]) -> float:
    """Print the share of comparisons that were called different, and return the upper 95 % limit of that rate."""
    different = sum(one.verdict == "different" for one in comparisons)
    return report(what, different, len(comparisons))[1]


def same(system: System, pairs: int, repetitions: int, noise_floor: float) -> bool:
    """Compare the same with itself, interleaved and in order of time; return whether the limit holds."""
    copies = min(MAX_COPIES, math.ceil(2 * pairs / len(VARIANTS)))
    interleaved: list[tuple[Floats, Floats]] = []
    blocked: list[Floats] = []
    while len(interleaved) < pairs:
        run_id = system.submit(plan(["own"], VARIANTS, SAME_SIZE, copies, repetitions))
        system.wait_for_run(run_id, seconds=3600)
        found = speeds(system, run_id)
        for variant in VARIANTS:
            cases = [matrix for candidate, matrix in found.items() if candidate.variant == variant]
            interleaved += list(zip(cases[::2], cases[1::2], strict=True))
            blocked += in_order_of_time(system, run_id, repetitions)[variant]
    pairs_found = [compare(first, second) for first, second in interleaved]
    upper = report_rate("same against same, interleaved", pairs_found)
    report_rate(f"  beyond the noise floor of {noise_floor:.2%}", [
        compare(first, second, noise_floor=noise_floor) for first, second in interleaved
    ])  # fmt: skip
    report_rate("same executions in order of time", compare_adjacent(blocked, 0.0))
    return upper <= FALSE_LIMIT


def preview_repetitions(system: System) -> int:
    """Return how many repetitions the preview names for a difference of 2 %."""
    preview = system.post("/plans/preview", {"plan": plan(["own"], ["default"], PLANTED_SIZE, 1, 10)})
    (agent,) = preview["agents"]
    return int(
        next(
            one["repetitions"]
            for one in agent["expectation"]["repetitions_for_difference"]
            if one["difference"] == SLOWER
        )
    )


def planted(system: System, count: int, noise_floor: float) -> bool:
    """Compare the equal runner with the slower one; return whether enough of the slow-downs were found."""
    repetitions = preview_repetitions(system)
    print(f"the preview names {repetitions} repetitions for a difference of {SLOWER:.0%}")
    run_id = system.submit(plan(["cryptopp", "botan"], ["bitsliced64"], PLANTED_SIZE, count, repetitions))
    system.wait_for_run(run_id, seconds=3600)
    found = speeds(system, run_id)
    normal = [matrix for candidate, matrix in found.items() if candidate.provider == "cryptopp"]
    slower = [matrix for candidate, matrix in found.items() if candidate.provider == "botan"]
    comparisons = [
        compare(first, second, noise_floor=noise_floor) for first, second in zip(normal, slower, strict=True)
    ]
    right = sum(one.verdict == "different" and one.ratio > 1 for one in comparisons)
    middle = float(np.median([one.ratio for one in comparisons]))
    print(f"planted slow-downs found: {right} of {len(comparisons)}, median ratio {middle:.4f}")
    return right >= FOUND_LIMIT * len(comparisons)


def main() -> int:
    """Measure and print; 1 when a limit is missed."""
    given = options(__doc__, pairs=2000, repetitions=12, planted=40)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = str(runners(folder / "runners"))
        with System(folder / "data", CommonSettings().cache_folder, runners_folder=built, job_seconds="30",
                    quarantine_drift="100") as system:  # fmt: skip
            floor = float(system.rows("SELECT value FROM calibrations WHERE kind = 'noise-floor'")[-1]["value"])
            kept = [
                same(system, given.pairs, given.repetitions, floor),
                planted(system, given.planted, floor),
            ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
