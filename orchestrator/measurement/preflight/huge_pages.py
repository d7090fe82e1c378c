"""Transparent huge pages: if every program gets them, memory and page faults change in steps of 2 MiB."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, Requirement, present_value
from orchestrator.wire.health import PreflightResult

_FILE = "kernel/mm/transparent_hugepage/enabled"
TUNABLE_FILES = (f"sys/{_FILE}",)


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check whether programs get huge pages without requesting them."""
    requirement = Requirement("huge-pages", "madvise or never", tunable=True)
    path = roots.sys / _FILE
    value = present_value(path)
    if value is None:
        return requirement.no_file(path)
    if value in ("madvise", "never"):
        return requirement.good(value)
    return requirement.poor(value, f"ciphermark daemon tune, or: echo madvise | sudo tee {path}")


def settings(roots: Roots, _context: PreflightContext) -> list[KernelSetting]:
    """Return the setting that limits huge pages to programs that request them; ``never`` is left as it is."""
    return (
        [KernelSetting("huge-pages", f"sys/{_FILE}", "madvise")] if present_value(roots.sys / _FILE) == "always" else []
    )
