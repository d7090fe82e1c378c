"""Everything that a machine offers: the modules of this package, a meter of the user's own, and installed meters."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator

from orchestrator.measurement import sensors as package
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.base import Found, Sensors
from orchestrator.measurement.sensors.user_meter import KIND as USER_METER
from orchestrator.measurement.sensors.user_meter import find as find_user_meter


def find_sensors(roots: Roots, meter_command: str | None = None) -> Sensors:
    """Return the sensors and meters of the machine, and for each kind that it lacks the reason.

    meter_command: the program of the user's own meter, as in CIPHERMARK_METER_COMMAND; it is started by the first
    reading, not here. Nothing is left open by looking. Takes some milliseconds.
    """
    found = {USER_METER: find_user_meter(meter_command)}
    found |= {kind: find(roots) for kind, find in _kinds()}
    by_rank = sorted(found.values(), key=lambda one: one.rank)
    return Sensors(
        sensors=tuple(sensor for one in found.values() for sensor in one.sensors),
        meters=tuple(meter for one in by_rank for meter in one.meters),
        absent={kind: one.absent for kind, one in found.items() if one.absent},
    )


def _kinds() -> Iterator[tuple[str, Callable[[Roots], Found]]]:
    """Give each kind of sensor of this package, in the order of the files' names."""
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if getattr(module, "KIND", USER_METER) != USER_METER:
            yield module.KIND, module.find
