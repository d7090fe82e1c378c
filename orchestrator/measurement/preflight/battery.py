"""Power from a battery: a laptop lowers its clock to make it last."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import Condition, PreflightContext
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look whether a battery of the machine is being emptied; that of a mouse does not count."""
    condition = Condition("battery", "power from the mains")
    folder = roots.sys / "class/power_supply"
    if not folder.is_dir():
        return condition.no_file(folder)
    batteries = {
        path.name: read_text(path / "status") or "of unknown state"
        for path in sorted(folder.iterdir())
        if read_text(path / "type") == "Battery" and read_text(path / "scope") != "Device"
    }
    if not batteries:
        return condition.good("no battery")
    found = ", ".join(f"{name} {status}" for name, status in batteries.items())
    if "Discharging" in batteries.values():
        return condition.poor(found, "Plug it in")
    return condition.good(found)
