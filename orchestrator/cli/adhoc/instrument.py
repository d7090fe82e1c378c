"""Instrument for the user's programs, with the launcher of a build, on a core of its own or on any."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from orchestrator.cli.adhoc.program import CallersEnvironment, ProgramCommand, program_outcome
from orchestrator.cli.adhoc.settings import BenchSettings
from orchestrator.compilation.folders import LAUNCHER, REPORT_FILE, build_folders
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan, Measurement
from orchestrator.measurement.instrument.monitor import PSUTIL_INTERVAL_NS, MonitorPlan
from orchestrator.measurement.launch.affinity import choose_measured_core, leave_core
from orchestrator.measurement.machine import marks
from orchestrator.measurement.machine.roots import KERNEL, Roots
from orchestrator.measurement.sensors import temperature, throttling
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.shared.errors import SetupError
from orchestrator.shared.resources import CROSS_BUILDS, carried, checkout
from orchestrator.wire.metrics.core import METRICS as CORE_METRICS

_OF_ONE_CORE = frozenset(
    mark.name
    for mark in (marks.MIGRATED, marks.OTHERS_ON_CORE, marks.STOLEN, marks.FREQUENCY_DROPPED, marks.FREQUENCY_ROSE)
)
_READINGS_OF_ONE_CORE = ("migrations", *(metric.name for metric in CORE_METRICS))
_OF_RUNNERS = frozenset({"cgroup_peak_disagreement_bytes", "launcher_peak_disagreement_bytes"})
_NOT_PINNED = "the program was not pinned to a core"


@dataclass(frozen=True)
class Where:
    """Core on which programs are executed."""

    core: int | None
    """Core number; None for the highest."""
    any_core: bool
    """True to let the kernel choose, so that a program with several threads can use all cores."""


@dataclass(frozen=True)
class Bench:
    """Instrument that is ready to measure."""

    core: int | None
    """Core to which programs are pinned; None if they are not."""
    measure: Callable[[ProgramCommand], Measurement]


def find_launcher(cache_folder: Path) -> Path:
    """Return the launcher of the newest build in the cache, that of the checkout, or that of the installed wheel.

    Raises SetupError without one, and BuildFailed if that of the wheel cannot be installed.
    """
    folders = sorted(build_folders(cache_folder), key=lambda folder: (folder / REPORT_FILE).stat().st_mtime)
    root = checkout()
    candidates = [folder / LAUNCHER for folder in reversed(folders)]
    candidates += [root / "build" / "runners" / LAUNCHER] if root else []
    for launcher in candidates:
        if launcher.is_file() and os.access(launcher, os.X_OK):
            return launcher
    if carried(CROSS_BUILDS).is_dir() and (found := _carried_launcher(cache_folder)) is not None:
        return found
    raise SetupError(
        f"{LAUNCHER}, the native program that starts and times others, was not found (searched in {cache_folder}).",
        remedy="Build it with the runners: ciphermark runners build, or make build in a checkout.",
    )


def _carried_launcher(cache_folder: Path) -> Path | None:
    # Needed once, and slow to import.
    from orchestrator.compilation.native.steps import BuildObserver  # noqa: PLC0415
    from orchestrator.daemon.builds.cross_built import install_carried  # noqa: PLC0415

    build = install_carried(cache_folder, BuildObserver(lambda _: None))
    return build.launcher if build else None


@contextmanager
def open_bench(
    settings: BenchSettings,
    where: Where,
    environment: CallersEnvironment,
    random: Random,
    descriptors: tuple[int, ...] = (),
) -> Iterator[Bench]:
    """Yield an instrument and close it afterwards. This process leaves the measured core permanently.

    descriptors: those of all streams of the programs.
    """
    launcher = find_launcher(settings.cache_folder)
    core = choose_measured_core(where.core if where.core is not None else settings.measured_core)
    pinned = not where.any_core and leave_core(core)
    fine_ns = settings.sampling_interval_ms * 1_000_000
    if not pinned and not where.any_core:
        # With one core only, each sample of the monitor takes time from the program.
        fine_ns = max(fine_ns, PSUTIL_INTERVAL_NS)
    sensors = sensors_around(KERNEL)
    plan = InstrumentPlan(
        launcher=launcher,
        measured_core=core,
        pinned=pinned,
        monitor=MonitorPlan(fine_ns, PSUTIL_INTERVAL_NS),
        exit_stop=settings.exit_stop,
        sensors=sensors,
        descriptors=descriptors,
        environment=environment.draw,
        outcome=program_outcome,
    )
    instrument = Instrument(plan, random)

    def measure(command: ProgramCommand) -> Measurement:
        command.connected.rewind()
        seen = of_program(instrument.measure(command))
        return without_core(seen) if where.any_core else seen

    try:
        yield Bench(None if where.any_core else core, measure)
    finally:
        instrument.close()
        sensors.close()


def sensors_around(roots: Roots) -> Sensors:
    """Return the sensors that are read around an execution; a search for all kinds would take longer."""
    found = {temperature.KIND: temperature.find(roots), throttling.KIND: throttling.find(roots)}
    return Sensors(
        sensors=tuple(sensor for each in found.values() for sensor in each.sensors),
        meters=(),
        absent={kind: each.absent for kind, each in found.items() if each.absent},
    )


def of_program(seen: Measurement) -> Measurement:
    """Return a measurement without the readings that only runners have; the program's peak is that of the process."""
    readings = {name: value for name, value in seen.readings.items() if name not in _OF_RUNNERS}
    readings["peak_rss_bytes"] = readings.get("process_peak_rss_bytes")
    readings["peak_rss_error_bytes"] = readings.get("process_peak_rss_error_bytes")
    absent = {name: why.replace("the runner", "the program") for name, why in seen.absent.items() if name in readings}
    if readings["peak_rss_error_bytes"] is None:
        absent["peak_rss_error_bytes"] = absent.get("process_peak_rss_error_bytes", "the program was not executed")
    return replace(seen, readings=readings, absent=absent)


def without_core(seen: Measurement) -> Measurement:
    """Return a measurement without marks and readings of the measured core, on which the program may not have been."""
    left_out = [name for name in _READINGS_OF_ONE_CORE if name in seen.readings]
    return replace(
        seen,
        readings=seen.readings | dict.fromkeys(left_out),
        absent=seen.absent | dict.fromkeys(left_out, _NOT_PINNED),
        marks=[mark for mark in seen.marks if mark not in _OF_ONE_CORE],
    )
