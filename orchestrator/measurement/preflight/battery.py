"""Power supply: on battery, a laptop lowers its clock to save power."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check whether a battery of the machine is discharging; batteries of devices such as a mouse are ignored."""
    requirement = Requirement("battery", "mains power")
    folder = roots.sys / "class/power_supply"
    if not folder.is_dir():
        return requirement.no_file(folder)
    batteries = {
        path.name: read_text(path / "status") or "in unknown state"
        for path in sorted(folder.iterdir())
        if read_text(path / "type") == "Battery" and read_text(path / "scope") != "Device"
    }
    if not batteries:
        return requirement.good("no battery")
    found = ", ".join(f"{name} {status}" for name, status in batteries.items())
    if "Discharging" in batteries.values():
        return requirement.poor(found, "Connect the machine to mains power")
    return requirement.good(found)
