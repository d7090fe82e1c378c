"""What measuring itself costs on this machine: noop, the probe, and the noise floor. A few seconds, once per boot."""

import math
import secrets
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import TypeAdapter, ValidationError

from orchestrator.daemon.installed_builds import InstalledBuild
from orchestrator.daemon.proofs import ProofBook
from orchestrator.errors import MeasurementError
from orchestrator.measurement.commands import ProcessCommand
from orchestrator.measurement.measure import Instrument, Measurement
from orchestrator.measurement.monitor import MonitorPlan
from orchestrator.wire.base import Message
from orchestrator.wire.builds import Calibration

INPUT_BYTES = 1024 * 1024
PAIRS = 40
"""As many as a plan has blocks, or somewhat more: the floor is that of comparisons over so many."""
RESAMPLES = 400
NOISE_QUANTILE = 0.95
_TIMEOUT_SECONDS = 20.0
_OUTPUT_BYTES = 65536
_FEWEST_PAIRS = 6
_BUDGET_SECONDS = 4.0
"""Of each of the two comparisons: a slow implementation on a slow device gets fewer pairs, not a longer start."""
_PREFERRED = ("aes-128-ctr", "chacha20-ietf", "chacha20-128")


class _Stored(Message):
    """Calibrations are valid for one build and one boot."""

    boot_id: str
    build_key: str
    calibrations: list[Calibration]


@dataclass(frozen=True)
class Subject:
    """The implementation that the noise floor and the probe's cost are measured with."""

    provider: str
    algorithm: str
    variant: str


def choose_subject(build: InstalledBuild, proofs: ProofBook) -> Subject | None:
    """Return a proved default implementation, quick ones first, own ones before those of libraries."""
    candidates = []
    for runner in build.report.runners:
        for i in runner.listing.implementations:
            if i.default and i.variant and proofs.admits(runner.sha256, runner.provider, i.algorithm, i.variant):
                preference = _PREFERRED.index(i.algorithm) if i.algorithm in _PREFERRED else len(_PREFERRED)
                candidates.append((preference, runner.provider != "own", runner.provider, i.algorithm, i.variant))
    if not candidates:
        return None
    return Subject(*min(candidates)[2:])


def calibrate(build: InstalledBuild, proofs: ProofBook, instrument: Instrument, input_file: Path) -> list[Calibration]:
    """Measure the three figures now; an implementation is needed for two of them, and noop for the first.

    instrument: the agent's own, so that the figures are of the very way in which jobs are measured.
    """
    input_file.parent.mkdir(parents=True, exist_ok=True)
    input_file.write_bytes(secrets.token_bytes(INPUT_BYTES))
    noop = _command(build, Subject(build.report.runners[0].provider, "noop", "none"), input_file)
    walls_ns = [_wall_ns(instrument.measure(noop)) for _ in range(PAIRS)]
    calibrations = [
        Calibration(
            build_key=build.build_key,
            kind="noop",
            value=statistics.median(walls_ns),
            unit="ns",
            detail={"executions": PAIRS, "input_bytes": INPUT_BYTES, "provider": noop.provider, "of": "work_wall_ns"},
        )
    ]
    subject = choose_subject(build, proofs)
    if subject is not None:
        command = _command(build, subject, input_file)
        calibrations.append(_noise_floor(build.build_key, command, instrument))
        calibrations.append(_probe_cost(build.build_key, command, instrument))
    return calibrations


def load_or_calibrate(path: Path, build_key: str, measure: Callable[[], list[Calibration]]) -> list[Calibration]:
    """Return the calibrations of this build and boot, from the file or measured now."""
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    try:
        stored = TypeAdapter(_Stored).validate_json(path.read_bytes())
        if (stored.boot_id, stored.build_key) == (boot_id, build_key):
            return stored.calibrations
    except (FileNotFoundError, ValidationError):
        pass
    stored = _Stored(boot_id=boot_id, build_key=build_key, calibrations=measure())
    path.write_text(stored.model_dump_json(), encoding="utf-8")
    return stored.calibrations


@dataclass(frozen=True)
class _Pairs:
    """Interleaved pairs of the same command."""

    log_ratios: list[float]
    """log(first/second) of their work wall times."""
    disturbed: int
    """Pairs left out, because a mark says that something else was going on; kept where too few were quiet."""


def _noise_floor(build_key: str, command: ProcessCommand, instrument: Instrument) -> Calibration:
    """The same against itself: by what share medians over interleaved pairs differ by chance."""
    pairs = _measure_pairs(lambda: instrument.measure(command), lambda: instrument.measure(command))
    single = statistics.median(abs(ratio) for ratio in pairs.log_ratios)
    return Calibration(
        build_key=build_key,
        kind="noise-floor",
        value=math.expm1(_chance_of_medians(pairs.log_ratios)),
        unit="share of work_wall_ns",
        detail=_detail(command, pairs) | {"median_of_single_pairs": math.expm1(single)},
    )


def _chance_of_medians(ratios: list[float]) -> float:
    """Return the 95 % quantile of |median| over resamples of the log-ratios (bootstrap, fixed seed)."""
    random = Random(0)  # noqa: S311 - a resampling, not a secret
    medians = sorted(abs(statistics.median(random.choices(ratios, k=len(ratios)))) for _ in range(RESAMPLES))
    return medians[math.ceil(NOISE_QUANTILE * RESAMPLES) - 1]


def _probe_cost(build_key: str, command: ProcessCommand, instrument: Instrument) -> Calibration:
    """The median share by which the same execution takes longer while it is sampled; noise may make it negative."""
    off = MonitorPlan(fine_interval_ns=10**9, coarse_interval_ns=10**9, fine=False, coarse=False)
    pairs = _measure_pairs(lambda: instrument.measure(command), lambda: instrument.measure(command, off))
    return Calibration(
        build_key=build_key,
        kind="probe-cost",
        value=math.expm1(statistics.median(pairs.log_ratios)),
        unit="share of work_wall_ns",
        detail=_detail(command, pairs),
    )


def _measure_pairs(first: Callable[[], Measurement], second: Callable[[], Measurement]) -> _Pairs:
    """Measure interleaved pairs, each in random order, until there are enough quiet ones or the budget is spent."""
    order = Random(0)  # noqa: S311 - only the order within pairs
    quiet: list[float] = []
    disturbed: list[float] = []
    spent_ns = 0.0
    while len(quiet) < PAIRS and (spent_ns < _BUDGET_SECONDS * 1e9 or len(quiet) + len(disturbed) < _FEWEST_PAIRS):
        if order.random() < 0.5:
            one, other = first(), second()
        else:
            other, one = second(), first()
        spent_ns += _wall_ns(one) + _wall_ns(other)
        ratio = math.log(_wall_ns(one) / _wall_ns(other))
        (disturbed if one.marks or other.marks else quiet).append(ratio)
    if len(quiet) < _FEWEST_PAIRS:
        return _Pairs(quiet + disturbed, 0)
    return _Pairs(quiet, len(disturbed))


def _wall_ns(measurement: Measurement) -> float:
    wall_ns = measurement.columns.get("work_wall_ns")
    if measurement.failure is not None or wall_ns is None:
        detail = measurement.failure.detail if measurement.failure else "it gave no work_wall_ns"
        raise MeasurementError(f"Calibration failed: {detail}")
    return wall_ns


def _detail(command: ProcessCommand, pairs: _Pairs) -> dict[str, int | float | str]:
    return {
        "pairs": len(pairs.log_ratios),
        "disturbed_pairs": pairs.disturbed,
        "provider": command.provider,
        "algorithm": command.algorithm,
        "variant": command.variant,
        "input_bytes": command.input_bytes,
    }


def _command(build: InstalledBuild, subject: Subject, input_file: Path) -> ProcessCommand:
    return ProcessCommand(
        program=build.programs[subject.provider],
        provider=subject.provider,
        algorithm=subject.algorithm,
        variant=subject.variant,
        input_file=input_file,
        input_bytes=INPUT_BYTES,
        timeout_seconds=_TIMEOUT_SECONDS,
        output_limit_bytes=_OUTPUT_BYTES,
    )
