"""Inventory of a device in the terminal."""

from orchestrator.shared.units import format_bytes_approximately
from orchestrator.wire.agents import GRANTED, InventoryFacts


def inventory_pairs(facts: InventoryFacts) -> list[tuple[str, object]]:
    """Return names and values of the facts, and why others are absent."""
    processor = facts.processor
    emulated = " (emulated: its times are never compared)" if facts.emulated else ""
    versions = facts.library_versions.items()
    return [
        ("host", facts.host_name),
        ("device", facts.device_model),
        ("processor", f"{processor.model or 'unknown'}{emulated}"),
        ("architecture", processor.architecture),
        ("cores", f"{processor.cores} online, core {facts.measured_core} is measured"),
        ("governor", processor.governor),
        ("microcode", processor.microcode),
        ("memory", format_bytes_approximately(facts.memory_bytes)),
        ("system", f"{facts.operating_system}, kernel {facts.kernel}, {facts.libc}"),
        ("compilers", ", ".join(f"{compiler.name} {compiler.version}" for compiler in facts.compilers)),
        ("libraries", ", ".join(f"{name} {version}" for name, version in facts.libraries.items())),
        ("library versions", "; ".join(f"{name} {', '.join(found)}" for name, found in versions)),
        ("sensors", ", ".join(facts.sensors)),
        ("counters", ", ".join(name for name, word in facts.counters.items() if word == GRANTED) or "none"),
        ("user and system time", facts.cpu_time_split),
        ("virtual machine", facts.virtual_machine),
        *((f"no {fact}", reason) for fact, reason in facts.absent.items()),
    ]
