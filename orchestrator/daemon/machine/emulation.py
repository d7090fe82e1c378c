"""Detection of emulation and virtual machines."""

from orchestrator.daemon.machine.processor import parse_cpuinfo
from orchestrator.measurement.machine.roots import Roots, read_text

_FAMILIES = {"x86_64": "x86", "i686": "x86", "i586": "x86", "i386": "x86", "amd64": "x86"}


def _family(machine: str) -> str:
    if machine.startswith(("arm", "aarch64")):
        return "arm"  # A 64-bit kernel executes 32-bit programs natively.
    return _FAMILIES.get(machine, machine)


def is_emulated(roots: Roots, machine: str) -> bool:
    """Return whether programs of `machine` are executed by an emulator (qemu-user) on another architecture.

    uname reports the guest's architecture, but /proc is the host's: /proc/sys/kernel/arch (Linux 6.1 or newer) names
    the host's architecture. Without it, the field names in /proc/cpuinfo reveal it.
    """
    host = read_text(roots.proc / "sys/kernel/arch")
    if host is not None:
        return _family(host) != _family(machine)
    fields = parse_cpuinfo(read_text(roots.proc / "cpuinfo") or "")
    if "vendor_id" in fields:
        return _family(machine) != "x86"
    return "CPU implementer" in fields and _family(machine) != "arm"


def virtual_machine(roots: Roots) -> str | None:
    """Return the hypervisor's vendor; None on bare metal, ``unnamed hypervisor`` if the vendor is unknown."""
    fields = parse_cpuinfo(read_text(roots.proc / "cpuinfo") or "")
    dmi = roots.sys / "class/dmi/id"
    known = ("QEMU", "KVM", "VMware", "VirtualBox", "innotek", "Xen", "Microsoft", "Amazon EC2", "Google", "Parallels")
    names = " ".join(filter(None, (read_text(dmi / "sys_vendor"), read_text(dmi / "product_name"))))
    vendor = (
        read_text(roots.sys / "hypervisor/type")
        or read_text(roots.proc / "device-tree/hypervisor/compatible")
        or next((name for name in known if name in names), None)
    )
    if "hypervisor" in fields.get("flags", "").split():
        return vendor or "unnamed hypervisor"
    return vendor if vendor and "vendor_id" not in fields else None
