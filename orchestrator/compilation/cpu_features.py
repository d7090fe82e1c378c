"""CPU features of a device, from the auxiliary vector, which is right under an emulator, too.

/proc/cpuinfo has the same names, but shows the host's CPU to an emulated process. On x86-64 it is read as well, because
the auxiliary vector has only the features of the first processors.
"""

import ctypes
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.wire.builds import DeviceMachine

# Source: <asm/hwcap.h> of the kernel, for each architecture.
_AT_HWCAP, _AT_HWCAP2 = 16, 26
_NAMES: dict[DeviceMachine, tuple[str, str]] = {
    "aarch64": (
        "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 "
        "sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs sb paca pacg",
        "dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint svei8mm svef32mm svef64mm svebf16 i8mm "
        "bf16 dgh rng bti mte",
    ),
    "armhf": (
        "swp half thumb 26bit fastmult fpa vfp edsp java iwmmxt crunch thumbee neon vfpv3 vfpv3d16 tls vfpv4 idiva "
        "idivt vfpd32 lpae evtstrm fphp asimdhp asimddp asimdfhm asimdbf16 i8mm",
        "aes pmull sha1 sha2 crc32 sb ssbs",
    ),
    # The word is EDX of CPUID 1; the kernel's source is <asm/cpufeatures.h>.
    "x86_64": (
        "fpu vme de pse tsc msr pae mce cx8 apic reserved10 sep mtrr pge mca cmov pat pse36 pn clflush reserved20 dts "
        "acpi mmx fxsr sse sse2 ss ht tm ia64 pbe",
        "",
    ),
}
"""Names of the bits in the two words of each architecture, from bit 0."""


@dataclass(frozen=True)
class TargetDevice:
    """A device that programs can be cross-built for."""

    machine: DeviceMachine
    features: frozenset[str]
    """Features of its CPU, in the names of /proc/cpuinfo, and ``armv7`` …"""


def this_device() -> TargetDevice | None:
    """Return the device that executes this process, or None if nothing is cross-built for it."""
    machine = device_machine()
    return TargetDevice(machine, cpu_features(machine)) if machine else None


def device_machine(machine: str | None = None, pointer_bytes: int | None = None) -> DeviceMachine | None:
    """Return the kind of this device, or None for one that nothing is cross-built for.

    machine: as in ``uname -m``. pointer_bytes: pointer size of this process; a 32-bit userland on a 64-bit kernel is
    ``armhf``.
    """
    machine = platform.machine() if machine is None else machine
    pointer_bytes = ctypes.sizeof(ctypes.c_void_p) if pointer_bytes is None else pointer_bytes
    if machine == "aarch64" and pointer_bytes == 8:
        return "aarch64"
    if machine == "aarch64" or machine.startswith("arm"):
        return "armhf"
    return "x86_64" if machine == "x86_64" and pointer_bytes == 8 else None


def cpu_features(kind: DeviceMachine) -> frozenset[str]:
    """Return the features of the CPU that executes this process, in the names of /proc/cpuinfo, and ``armv7`` …"""
    library = ctypes.CDLL(None)
    library.getauxval.restype = ctypes.c_ulong
    library.getauxval.argtypes = [ctypes.c_ulong]
    found = parse_features(kind, library.getauxval(_AT_HWCAP), library.getauxval(_AT_HWCAP2), platform.machine())
    return found | _listed_features() if kind == "x86_64" else found


def parse_features(kind: DeviceMachine, hwcap: int, hwcap2: int, machine: str) -> frozenset[str]:
    """Return the features in the two words of the auxiliary vector; `machine` adds the architecture's versions."""
    first, second = _NAMES[kind]
    found = {name for bit, name in enumerate(first.split()) if hwcap >> bit & 1}
    found |= {name for bit, name in enumerate(second.split()) if hwcap2 >> bit & 1}
    if kind == "armhf":
        version = 8 if machine in ("aarch64", "armv8l") else int(machine[4]) if machine[4:5].isdigit() else 0
        found |= {f"armv{number}" for number in (6, 7, 8) if number <= version}
    return frozenset(found)


def _listed_features(path: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """Return the features that the kernel lists of the first CPU of an x86-64 machine."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return frozenset(next((line.partition(":")[2] for line in lines if line.startswith("flags")), "").split())


def missing_features(required: Iterable[str], available: frozenset[str]) -> list[str]:
    """Return the required features that the CPU lacks, in their order."""
    return [feature for feature in required if feature not in available]
