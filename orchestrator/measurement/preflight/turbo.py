"""Turbo or boost: a clock above the nominal one lasts only until heat or load on other cores ends it."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, Requirement, present_value
from orchestrator.wire.health import PreflightResult

_OFF = {"intel_pstate/no_turbo": "1", "cpufreq/boost": "0"}
"""File of the driver, below the folder of the cores → value that switches turbo off."""
TUNABLE_FILES = tuple(rf"sys/devices/system/cpu/{file}" for file in _OFF)


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check whether the clock may exceed the nominal one."""
    requirement = Requirement("turbo", "off", tunable=True)
    for file, off in _OFF.items():
        path = roots.cpu / file
        value = present_value(path)
        if value == off:
            return requirement.good(f"off ({file} is {value})")
        if value is not None:
            return requirement.poor(
                f"on ({file} is {value})", f"ciphermark daemon tune, or: echo {off} | sudo tee {path}"
            )
    return requirement.no_file(*(roots.cpu / file for file in _OFF))


def settings(roots: Roots, _context: PreflightContext) -> list[KernelSetting]:
    """Return the setting that switches turbo off, for the file that the driver offers."""
    present = [(file, off) for file, off in _OFF.items() if (roots.cpu / file).exists()]
    return [KernelSetting("turbo", f"sys/devices/system/cpu/{file}", off) for file, off in present]
