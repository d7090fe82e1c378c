"""SMT siblings of the measured core: a process on one takes up to half of the core's units and caches."""

from orchestrator.measurement.machine.core_lists import read_core_list
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult

TUNABLE_FILES = (r"sys/devices/system/cpu/cpu\d+/online",)


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check whether another hardware thread shares the measured core."""
    requirement = Requirement("smt-neighbours", "no other hardware thread of the measured core online", tunable=True)
    path = roots.cpu / f"cpu{context.measured_core}/topology/thread_siblings_list"
    siblings = read_core_list(path)
    if siblings is None:
        return requirement.no_file(path)
    others = sorted(siblings - {context.measured_core})
    if not others:
        return requirement.good(f"core {context.measured_core} shares its hardware with no other")
    files = " ".join(f"{roots.cpu}/cpu{core}/online" for core in others)
    named = " and ".join(str(core) for core in others)
    found = f"core {context.measured_core} shares its hardware with core {named}"
    if not settings(roots, context):
        return requirement.poor(
            found, "Switch SMT off in the firmware; tuning cannot: with two cores, the monitor needs the other thread"
        )
    return requirement.poor(found, f"ciphermark daemon tune, or: echo 0 | sudo tee {files}")


def settings(roots: Roots, context: PreflightContext) -> list[KernelSetting]:
    """Return settings that take the siblings offline, unless the monitor would then share the measured core."""
    measured = context.measured_core
    siblings = read_core_list(roots.cpu / f"cpu{measured}/topology/thread_siblings_list") or frozenset()
    online = read_core_list(roots.cpu / "online") or frozenset()
    # The first core of most x86 machines has no such file, because the kernel requires it.
    removable = [core for core in sorted(siblings - {measured}) if (roots.cpu / f"cpu{core}/online").exists()]
    if not online - siblings:
        return []
    return [KernelSetting("smt-neighbours", f"sys/devices/system/cpu/cpu{core}/online", "0") for core in removable]
