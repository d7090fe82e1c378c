"""Turbo or boost: a clock above the nominal one lasts until the heat or the neighbours end it."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, Setting, present_value
from orchestrator.wire.health import PreflightResult

_OFF = {"intel_pstate/no_turbo": "1", "cpufreq/boost": "0"}
"""The driver's file under the folder of the cores → the value that switches turbo off."""
TUNABLE_FILES = tuple(rf"sys/devices/system/cpu/{file}" for file in _OFF)


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look whether the clock may go above its nominal one."""
    condition = Condition("turbo", "off", tunable=True)
    for file, off in _OFF.items():
        path = roots.cpu / file
        value = present_value(path)
        if value == off:
            return condition.good(f"off ({file} is {value})")
        if value is not None:
            return condition.poor(
                f"on ({file} is {value})", f"ciphermark daemon tune, or: echo {off} | sudo tee {path}"
            )
    return condition.no_file(*(roots.cpu / file for file in _OFF))


def settings(roots: Roots, _context: PreflightContext) -> list[Setting]:
    """Switch it off by the file that the driver has."""
    present = [(file, off) for file, off in _OFF.items() if (roots.cpu / file).exists()]
    return [Setting("turbo", f"sys/devices/system/cpu/{file}", off) for file, off in present]
