"""Hardware threads beside the measured core: whatever executes there takes half of its units and caches."""

from orchestrator.measurement.machine.core_lists import read_core_list
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, Setting
from orchestrator.wire.health import PreflightResult

TUNABLE_FILES = (r"sys/devices/system/cpu/cpu\d+/online",)


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Look who shares the measured core."""
    condition = Condition("smt-neighbours", "no other hardware thread of the measured core online", tunable=True)
    path = roots.cpu / f"cpu{context.measured_core}/topology/thread_siblings_list"
    siblings = read_core_list(path)
    if siblings is None:
        return condition.no_file(path)
    neighbours = sorted(siblings - {context.measured_core})
    if not neighbours:
        return condition.good(f"core {context.measured_core} has its hardware for itself")
    files = " ".join(f"{roots.cpu}/cpu{core}/online" for core in neighbours)
    named = " and ".join(str(core) for core in neighbours)
    found = f"core {context.measured_core} shares its hardware with core {named}"
    if not settings(roots, context):
        return condition.poor(
            found, "Switch SMT off in the firmware; as long as there is no third core, the monitor needs the neighbour"
        )
    return condition.poor(found, f"ciphermark daemon tune, or: echo 0 | sudo tee {files}")


def settings(roots: Roots, context: PreflightContext) -> list[Setting]:
    """Switch the neighbours off, unless the monitor would then have to share the measured core."""
    measured = context.measured_core
    siblings = read_core_list(roots.cpu / f"cpu{measured}/topology/thread_siblings_list") or frozenset()
    online = read_core_list(roots.cpu / "online") or frozenset()
    # The first core of most x86 machines has no such file: the kernel cannot do without it.
    able = [core for core in sorted(siblings - {measured}) if (roots.cpu / f"cpu{core}/online").exists()]
    if not online - siblings:
        return []
    return [Setting("smt-neighbours", f"sys/devices/system/cpu/cpu{core}/online", "0") for core in able]
