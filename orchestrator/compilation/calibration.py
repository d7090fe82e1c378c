"""Which variant of each algorithm is the fastest by length of message, timed once for each build on its machine."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog
from pydantic import ValidationError

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.proofs import ProofBook
from orchestrator.compilation.runner_output import execute_runner
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.wire.base import ByteCount, Report
from orchestrator.wire.builds import ProofResult

CALIBRATION_FILE = "calibration.json"
ATTEMPTS = 3
_SECONDS = 120
_GAIN = 0.05
"""A variant replaces the runner's own choice if it takes less than 1 - this of its time."""
_SURE_SHARE = 17 / 21
"""And if it was faster in so many rounds: by chance in 4 of 1000 (sign test)."""
_DISTURBED_SHARE = 0.05
"""Of the cells in which the same code seemed faster or slower than itself by more than _GAIN: more are not believed."""

_log = structlog.get_logger(__name__)


class TimedVariant(Report):
    """Times of one call of a variant, for each length and round."""

    algorithm: str
    variant: str
    control: bool
    """The second contestant with the code of the default."""
    message_bytes: list[ByteCount]
    """What was encrypted for each length: whole blocks where the mode requires them."""
    call_ns: list[list[float]]


class CalibrateOutput(Report):
    """Output of ``calibrate``."""

    lengths: list[ByteCount]
    rows: list[TimedVariant]


class CalibratedVariant(Report):
    """Times of a variant relative to the runner's own choice, and the lengths for which it is the default."""

    algorithm: str
    variant: str
    relative_times: dict[str, float]
    """Length in bytes → median of its time divided by that of the runner's own choice in the same round."""
    fastest_at: list[ByteCount]


@dataclass(frozen=True)
class Disturbed:
    """A calibration in which the same code differed from itself too often."""

    share: float


_STORED = StoredDocument[dict[str, list[CalibratedVariant]]](dict[str, list[CalibratedVariant]])


def calibrated(build: InstalledBuild, book: ProofBook, progress: Callable[[str], None]) -> list[ProofResult]:
    """Return the proofs of a build with the calibration of its variants, from the cache or measured now.

    A program that cannot calibrate, or only on a disturbed machine, keeps its own choice.
    """
    path = build.folder / CALIBRATION_FILE
    stored = _STORED.read(path) or {}
    found: dict[tuple[str, str, str], CalibratedVariant] = {}
    for runner in build.report.runners:
        proved = {(one.algorithm, one.variant) for one in book.proofs if one.provider == runner.provider and one.passed}
        several = [
            row for row in runner.listing.implementations if row.available and row.masking is None and row.variant
        ]
        if runner.start or len({row.algorithm for row in several}) == len(several):
            continue  # Programs of languages and libraries have one variant of each algorithm.
        if runner.sha256 not in stored:
            progress(f"calibrating the variants of {runner.provider}")
            measured = _measured(build.runners[runner.provider].command, runner.provider, proved)
            if measured:  # Without one, the next start tries again.
                stored[runner.sha256] = measured
        found |= {(runner.provider, one.algorithm, one.variant): one for one in stored.get(runner.sha256, ())}
    _STORED.write(path, stored)
    return [_with(proof, found.get((proof.provider, proof.algorithm, proof.variant))) for proof in book.proofs]


def _with(proof: ProofResult, one: CalibratedVariant | None) -> ProofResult:
    if one is None:
        return proof
    return proof.model_copy(update={"relative_times": one.relative_times, "fastest_at": one.fastest_at})


def _measured(command: Sequence[str], provider: str, proved: set[tuple[str, str]]) -> list[CalibratedVariant]:
    for _ in range(ATTEMPTS):
        done = execute_runner([*command, "calibrate"], _SECONDS)
        try:
            found = choose(CalibrateOutput.model_validate_json(done.stdout), proved)
        except ValidationError as error:
            _log.warning("variants not calibrated", provider=provider, error=(done.failure or str(error))[:300])
            return []
        if not isinstance(found, Disturbed):
            return found
        _log.warning("calibration disturbed; it is repeated", provider=provider, share=found.share)
    return []


def choose(report: CalibrateOutput, proved: set[tuple[str, str]]) -> list[CalibratedVariant] | Disturbed:
    """Return each proved variant with its times relative to the runner's own choice, and where it is the fastest.

    The own choice stays the default where no other is faster by more than _GAIN in nearly all rounds.
    """
    contests: dict[str, list[TimedVariant]] = defaultdict(list)
    for row in report.rows:
        contests[row.algorithm].append(row)
    deviations = [
        statistics.median(map(math.log, _ratios(row, own, place)))
        for rows in contests.values()
        for own, row in [(_own_choice(rows), next(one for one in rows if one.control))]
        for place in range(len(report.lengths))
    ]
    share = sum(abs(one) > _GAIN for one in deviations) / max(1, len(deviations))
    if share > _DISTURBED_SHARE:
        return Disturbed(share)
    found = []
    for rows in contests.values():
        timed = [row for row in rows if not row.control and (row.algorithm, row.variant) in proved]
        found += _compared(report.lengths, timed, _own_choice(rows))
    return found


def _compared(lengths: Sequence[int], timed: Sequence[TimedVariant], own: TimedVariant) -> list[CalibratedVariant]:
    ratios = {row.variant: [_ratios(row, own, place) for place in range(len(lengths))] for row in timed}
    fastest = {
        length: _fastest({name: found[place] for name, found in ratios.items()}, own.variant)
        for place, length in enumerate(lengths)
    }
    return [
        CalibratedVariant(
            algorithm=row.algorithm,
            variant=row.variant,
            relative_times={
                str(length): round(statistics.median(found), 4)
                for length, found in zip(lengths, ratios[row.variant], strict=True)
            },
            fastest_at=[length for length, name in fastest.items() if name == row.variant],
        )
        for row in timed
    ]


def _own_choice(rows: Sequence[TimedVariant]) -> TimedVariant:
    name = next(row.variant for row in rows if row.control)
    return next(row for row in rows if row.variant == name and not row.control)


def _ratios(row: TimedVariant, own: TimedVariant, place: int) -> list[float]:
    return [one / other for one, other in zip(row.call_ns[place], own.call_ns[place], strict=True)]


def _fastest(ratios: Mapping[str, Sequence[float]], own: str) -> str:
    """Return the name of the variant that is surely faster than the runner's own choice, or that one."""
    faster = {
        name: statistics.median(found)
        for name, found in ratios.items()
        if statistics.median(found) < 1 - _GAIN and sum(one < 1 for one in found) >= _SURE_SHARE * len(found)
    }
    return min(faster, key=lambda name: faster[name], default=own)
