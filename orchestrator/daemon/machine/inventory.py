"""The inventory: facts about this machine, and changes of the registered libraries while the daemon runs.

Unknown facts are None with the reason.
"""

import hashlib
import json
import os
import platform
import shutil
import socket
from collections.abc import Sequence
from pathlib import Path

from orchestrator import __version__
from orchestrator.compilation.languages.tools import find_tools
from orchestrator.compilation.libraries.registered import RegisteredLibrary, usable_registered
from orchestrator.compilation.libraries.versions import buildable_versions
from orchestrator.compilation.native.compilers import find_compilers, library_versions
from orchestrator.daemon.machine.emulation import is_emulated, virtual_machine
from orchestrator.daemon.machine.hardware_counters import find_counters
from orchestrator.daemon.machine.processor import read_processor
from orchestrator.measurement.machine.cpu_time_split import find_split
from orchestrator.measurement.machine.proc_files import parse_meminfo
from orchestrator.measurement.machine.roots import KERNEL, Roots, read_text
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.shared.files.identity import FileIdentity
from orchestrator.wire.agents import GRANTED, METER_PREFIX, InventoryFacts, InventoryReport


def take_inventory(
    measured_core: int,
    roots: Roots = KERNEL,
    sensors: Sensors | None = None,
    registered: Sequence[RegisteredLibrary] = (),
) -> InventoryReport:
    """Return a newly detected inventory with the SHA-256 of its canonical JSON.

    sensors: the sensors of this machine; None detects them, without the user's own meter. registered: library versions
    that its operator registered.
    """
    absent: dict[str, str] = {}
    machine = platform.machine()
    counters = find_counters()
    if counters["cycles"] != GRANTED:
        absent["hardware_counters"] = counters["cycles"]
    split = find_split(measured_core, roots)
    if split.reason:
        absent["cpu_time_split"] = split.reason
    libraries = _libraries(absent)
    memory = parse_meminfo(read_text(roots.proc / "meminfo") or "")
    inventory = InventoryFacts(
        host_name=socket.gethostname(),
        device_model=_device_model(roots, absent),
        processor=read_processor(roots, machine, measured_core, absent),
        memory_bytes=memory.get("MemTotal", 0),
        swap_bytes=memory.get("SwapTotal", 0),
        operating_system=operating_system(read_text(roots.etc / "os-release") or ""),
        kernel=platform.release(),
        python=platform.python_version(),
        libc=_libc(absent),
        compilers=[*(found.compiler for found in find_compilers()), *(found.compiler for found in find_tools())],
        libraries=libraries,
        library_versions=buildable_versions(libraries, registered),
        sensors=_sensors(sensors or find_sensors(roots), absent),
        hardware_counters=counters["cycles"] == GRANTED,
        counters=counters,
        cpu_time_split=split.split,
        virtual_machine=virtual_machine(roots),
        emulated=is_emulated(roots, machine),
        measured_core=measured_core,
        daemon_version=__version__,
        absent=absent,
    )
    return report_of(inventory)


def report_of(inventory: InventoryFacts) -> InventoryReport:
    """Return an inventory with the SHA-256 of its canonical JSON."""
    return InventoryReport(sha256=inventory_sha256(inventory), inventory=inventory)


def inventory_sha256(inventory: InventoryFacts) -> str:
    """Return the SHA-256 of an inventory's JSON with sorted keys and no spaces, which identifies it."""
    canonical = json.dumps(inventory.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def operating_system(os_release: str) -> str:
    """Return the readable name of the operating system from /etc/os-release."""
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    return fields.get("PRETTY_NAME", "unknown Linux").strip('"')


def _sensors(found: Sensors, absent: dict[str, str]) -> dict[str, str]:
    """Return the source of every sensor and meter; adds the reason of each missing kind to `absent`."""
    absent |= {f"sensors: {kind}": reason for kind, reason in found.absent.items()}
    if not found.sensors and not found.meters:
        absent["sensors"] = "no sensor or meter found; see the reason of each kind"
    return {sensor.name: sensor.source for sensor in found.sensors} | {
        f"{METER_PREFIX}{meter.name}": meter.source for meter in found.meters
    }


def _device_model(roots: Roots, absent: dict[str, str]) -> str | None:
    model = read_text(roots.proc / "device-tree/model") or read_text(roots.sys / "class/dmi/id/product_name")
    if model is None:
        absent["device_model"] = "neither /proc/device-tree/model nor /sys/class/dmi/id/product_name exists"
    return model


def _libraries(absent: dict[str, str]) -> dict[str, str]:
    if shutil.which("pkg-config") is None:
        absent["libraries"] = "pkg-config is not installed"
        return {}
    return library_versions()


def _libc(absent: dict[str, str]) -> str | None:
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        name = None
    if not name:
        absent["libc"] = "the C library reports no version (CS_GNU_LIBC_VERSION)"
    return name or None


class RegisteredVersions:
    """Brings the library versions of an inventory up to date when the operator changed the list."""

    def __init__(self, file: Path) -> None:
        """Remember the present list, which the first inventory of the daemon contains."""
        self._file = file
        self._seen = FileIdentity.find(file)

    def update(self, report: InventoryReport) -> InventoryReport:
        """Return the inventory with the versions of the list, the same one if the file did not change."""
        identity = FileIdentity.find(self._file)
        if identity == self._seen:
            return report
        self._seen = identity
        versions = buildable_versions(report.inventory.libraries, usable_registered(self._file))
        return report_of(report.inventory.model_copy(update={"library_versions": versions}))
