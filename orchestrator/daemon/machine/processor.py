"""Facts about the processor from /proc/cpuinfo and /sys/devices/system/cpu."""

from pathlib import Path

from orchestrator.measurement.machine.core_lists import parse_core_list
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.shared.units import parse_size_bytes
from orchestrator.wire.agents import Processor

# Main ID register parts of the cores that Raspberry Pi boards have. Source: Arm, MIDR_EL1 of each core's manual.
_ARM_PARTS = {
    "0xb76": "ARM1176",
    "0xc07": "Cortex-A7",
    "0xd03": "Cortex-A53",
    "0xd08": "Cortex-A72",
    "0xd0b": "Cortex-A76",
}
_ARM_MACHINES = ("aarch64", "arm")
"""Beginnings of the kernel's names of Arm machines."""
_NO_FILE = "the kernel has no {}"


def parse_cpuinfo(text: str) -> dict[str, str]:
    """Return the first value of each field of /proc/cpuinfo; x86 and Arm kernels use different field names."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, separator, value = line.partition(":")
        if separator:
            fields.setdefault(name.strip(), value.strip())
    return fields


def processor_model(fields: dict[str, str]) -> str | None:
    """Return the processor's name; on Arm, where the kernel reports a part number, the core's name."""
    model = fields.get("model name")
    if model and not model.startswith("ARMv"):
        return model
    part = fields.get("CPU part", "").lower()
    return _ARM_PARTS.get(part) or model or (f"ARM part {part}" if part else None)


def read_processor(roots: Roots, machine: str, measured_core: int, absent: dict[str, str]) -> Processor:
    """Return the facts about the processor; adds the reason of each missing one to `absent`."""
    fields = parse_cpuinfo(read_text(roots.proc / "cpuinfo") or "")
    online = parse_core_list(read_text(roots.cpu / "online") or "0")
    frequencies = roots.cpu / f"cpu{measured_core}/cpufreq"
    caches = _caches(roots.cpu / f"cpu{measured_core}/cache")
    facts: dict[str, int | str | None] = {
        "model": processor_model(fields),
        "base_frequency_hz": _frequency_hz(frequencies / "base_frequency"),
        "max_frequency_hz": _frequency_hz(frequencies / "cpuinfo_max_freq"),
        "governor": read_text(frequencies / "scaling_governor"),
        "microcode": fields.get("microcode"),
        "l1d_bytes": caches.get("1 Data"),
        "l2_bytes": caches.get("2 Unified"),
        "l3_bytes": caches.get("3 Unified"),
    }
    sources = {
        "model": "model name in /proc/cpuinfo",
        "base_frequency_hz": "cpufreq/base_frequency",
        "max_frequency_hz": "cpufreq/cpuinfo_max_freq",
        "governor": "cpufreq/scaling_governor",
        "microcode": "microcode in /proc/cpuinfo",
    }
    for name, value in facts.items():
        if value is None:
            absent[f"processor.{name}"] = _NO_FILE.format(sources.get(name, "such cache in cpu/cache"))
    if machine.startswith(_ARM_MACHINES):
        absent["processor.microcode"] = "Arm processors report no microcode version"
    extensions = (fields.get("flags") or fields.get("Features") or "").split()
    return Processor.model_validate(
        {
            **facts,
            "architecture": machine,
            "cores": len(online),
            "online_cores": online,
            "isa_extensions": sorted(set(extensions)),
        }
    )


def _frequency_hz(path: Path) -> int | None:
    text = read_text(path)
    return int(text) * 1000 if text and text.isdigit() else None


def _caches(folder: Path) -> dict[str, int]:
    """Return the cache sizes in bytes by level and type, such as ``2 Unified``."""
    sizes: dict[str, int] = {}
    for cache in sorted(folder.glob("index*")):
        level, kind, size = (read_text(cache / name) for name in ("level", "type", "size"))
        if level and kind and size:
            sizes[f"{level} {kind}"] = parse_size_bytes(size.replace("K", "KiB").replace("M", "MiB"))
    return sizes
