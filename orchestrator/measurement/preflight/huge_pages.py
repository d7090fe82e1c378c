"""Transparent huge pages: given to everybody, they make memory and page faults jump by 2 MiB."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, Setting, present_value
from orchestrator.wire.health import PreflightResult

_FILE = "kernel/mm/transparent_hugepage/enabled"
TUNABLE_FILES = (f"sys/{_FILE}",)


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look who gets huge pages without asking."""
    condition = Condition("huge-pages", "madvise or never", tunable=True)
    path = roots.sys / _FILE
    value = present_value(path)
    if value is None:
        return condition.no_file(path)
    if value in ("madvise", "never"):
        return condition.good(value)
    return condition.poor(value, f"ciphermark daemon tune, or: echo madvise | sudo tee {path}")


def settings(roots: Roots, _context: PreflightContext) -> list[Setting]:
    """Give them to programs that ask; who switched them off for everybody keeps that."""
    return [Setting("huge-pages", f"sys/{_FILE}", "madvise")] if present_value(roots.sys / _FILE) == "always" else []
