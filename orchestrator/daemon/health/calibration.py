"""Overheads of measuring on this machine: noop, the probe, and the noise floor. Takes a few seconds, once per boot."""

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.proved import ProvedBuild
from orchestrator.daemon.health.control_workload import (
    INPUT_BYTES,
    PAIRS,
    InterleavedPairs,
    control_command,
    describe,
    measure_pairs,
    median_of_single_pairs,
    noop_command,
    timed,
)
from orchestrator.daemon.health.noise import noise_floor, single_execution_spread
from orchestrator.measurement.instrument.measure import Instrument, Measurement
from orchestrator.measurement.instrument.monitor import UNWATCHED
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.commands import ProcessCommand
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.shared.values.boot_clock import boot_time
from orchestrator.statistics.median import median_interval
from orchestrator.statistics.power import FLOOR_BLOCKS
from orchestrator.wire.base import Message
from orchestrator.wire.builds import CalibrationReport

CALIBRATION_FOLDER = "calibration"
"""Folder in the data folder."""
CALIBRATIONS_FILE = "latest.json"
INPUT_FILE = "input.bin"
"""Input of the control workload."""


class _Stored(Message):
    """Calibrations with the build and the boot for which they are valid."""

    boot_id: str
    build_key: str
    calibrations: list[CalibrationReport]


_STORED = StoredDocument[_Stored](_Stored)


@dataclass(frozen=True)
class Control:
    """The measured control workload, the basis of the noise floor and of health checks."""

    command: ProcessCommand
    pairs: InterleavedPairs


Calibrated = tuple[list[CalibrationReport], Control | None]
"""The calibrations, and the control workload behind them; None if no implementation may be measured."""


def calibrate(proved: ProvedBuild, instrument: Instrument, input_file: Path) -> Calibrated:
    """Measure the overheads now: noop with a runner of ciphers, the others if an implementation has been proved.

    instrument: the one that measures jobs, so that the overheads are those of jobs.
    """
    key, calibrations = proved.build.build_key, list[CalibrationReport]()
    noop, command = noop_command(proved.build, input_file), control_command(proved, input_file)
    if noop is not None:
        calibrations.append(_noop_time(key, noop, instrument))
    if command is None:
        return calibrations, None
    control = measure_control(command, instrument.measure)
    calibrations.append(floor_of(key, control))
    calibrations.append(_probe_cost(key, command, instrument))
    return calibrations, control


def measure_control(command: ProcessCommand, measure: Callable[[Command], Measurement]) -> Control:
    """Measure the control workload in pairs with itself. Raises MeasurementError."""
    return Control(command, measure_pairs(lambda: measure(command), lambda: measure(command)))


def floor_of(build_key: str, control: Control) -> CalibrationReport:
    """Return the noise floor: the relative difference that comparisons of equal cases show by chance."""
    return CalibrationReport(
        build_key=build_key,
        kind="noise-floor",
        value=noise_floor(control.pairs.log_ratios),
        unit="share of work_wall_ns",
        detail=describe(control.command, control.pairs)
        | {
            "blocks": FLOOR_BLOCKS,
            "median_of_single_pairs": median_of_single_pairs(control.pairs),
            "single_execution_spread": single_execution_spread([one.wall_ns for one in control.pairs.executions]),
        },
    )


def load_or_calibrate(
    path: Path, build_key: str, measure: Callable[[], list[CalibrationReport]]
) -> list[CalibrationReport]:
    """Return the calibrations of this build and boot, from the file or measured now."""
    stored = _load(path, build_key)
    if stored is None:
        stored = _Stored(boot_id=boot_time().boot_id, build_key=build_key, calibrations=measure())
        _STORED.write(path, stored)
    return stored.calibrations


def renew(path: Path, calibration: CalibrationReport) -> None:
    """Replace the stored calibration of the same kind, so that a restart does not report the old one."""
    stored = _load(path, calibration.build_key)
    if stored is not None:
        others = [one for one in stored.calibrations if one.kind != calibration.kind]
        stored = stored.model_copy(update={"calibrations": [*others, calibration]})
        _STORED.write(path, stored)


def _load(path: Path, build_key: str) -> _Stored | None:
    stored = _STORED.read(path)
    is_valid = stored is not None and (stored.boot_id, stored.build_key) == (boot_time().boot_id, build_key)
    return stored if is_valid else None


def _noop_time(build_key: str, noop: ProcessCommand, instrument: Instrument) -> CalibrationReport:
    return CalibrationReport(
        build_key=build_key,
        kind="noop",
        value=statistics.median(timed(instrument.measure(noop)).wall_ns for _ in range(PAIRS)),
        unit="ns",
        detail={"executions": PAIRS, "input_bytes": INPUT_BYTES, "provider": noop.provider, "of": "work_wall_ns"},
    )


def _probe_cost(build_key: str, command: ProcessCommand, instrument: Instrument) -> CalibrationReport:
    """Return the median relative cost of sampling an execution with its 95 % interval; noise can make it negative."""
    pairs = measure_pairs(lambda: instrument.measure(command), lambda: instrument.measure(command, UNWATCHED))
    known = median_interval(pairs.log_ratios)
    return CalibrationReport(
        build_key=build_key,
        kind="probe-cost",
        value=math.expm1(statistics.median(pairs.log_ratios)),
        unit="share of work_wall_ns",
        detail=describe(command, pairs)
        | ({"low": math.expm1(known.low), "high": math.expm1(known.high)} if known else {}),
    )
