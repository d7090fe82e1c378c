"""Search of all sensors and meters: those of this package, the user's own meter and meters of installed packages."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator

from orchestrator.measurement import sensors as package
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.base import Found, Sensors
from orchestrator.measurement.sensors.user_meter import KIND as USER_METER
from orchestrator.measurement.sensors.user_meter import find as find_user_meter


def find_sensors(roots: Roots, meter_command: str | None = None) -> Sensors:
    """Return the sensors and meters of the machine, and the reason for each kind that it lacks.

    meter_command: program of the user's own meter, as in CIPHERMARK_METER_COMMAND. The first reading starts it. The
    search leaves no file open and takes a few milliseconds.
    """
    found = {USER_METER: find_user_meter(meter_command)}
    found |= {kind: find(roots) for kind, find in _kinds()}
    by_rank = sorted(found.values(), key=lambda each: each.rank)
    return Sensors(
        sensors=tuple(sensor for each in found.values() for sensor in each.sensors),
        meters=tuple(meter for each in by_rank for meter in each.meters),
        absent={kind: each.absent for kind, each in found.items() if each.absent},
    )


def _kinds() -> Iterator[tuple[str, Callable[[Roots], Found]]]:
    """Yield each kind of sensor of this package, in the order of the module names."""
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if getattr(module, "KIND", USER_METER) != USER_METER:
            yield module.KIND, module.find
