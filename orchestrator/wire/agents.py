"""Enrollment and inventories."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from orchestrator.shared.values.library_versions import LibraryVersion
from orchestrator.shared.values.text import LABEL_PATTERN, worded
from orchestrator.wire.base import AgentId, ByteCount, DeviceName, Line, Message, ProviderName, Report, Sha256
from orchestrator.wire.builds import CompilerName

AgentName = Annotated[
    str,
    Field(
        pattern=worded(
            r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$",
            "1 to 63 letters, digits, dots, underscores and hyphens, the first one a letter or digit",
        )
    ),
]
AgentLabel = Annotated[str, StringConstraints(pattern=LABEL_PATTERN)]

MAX_LABELS = 32
"""Labels of one agent."""

GRANTED = "granted"
"""State of a counter that the kernel permits for this user."""

METER_PREFIX = "energy: "
"""Prefix of the names of energy meters among the sensors of an inventory."""


class EnrollmentRequest(Message):
    """POST /api/v1/agents with the join token as bearer."""

    name: AgentName
    """Name for users, by default the host name. The name of an invitation takes precedence."""


class EnrollmentResponse(Message):
    """Identity of an agent. The service stores only hashes of its token and its password."""

    agent_id: AgentId
    name: Line
    agent_token: Line
    broker_url: Line
    """Redis without credentials: ``redis://host:port/0``, ``rediss://…`` or ``redis+socket:///path``."""
    broker_username: Line
    broker_password: Line
    key_prefix: Line
    """``global_keyprefix`` of the agent's Celery queue."""
    queue: Line


class RotatedToken(Report):
    """A new token, and the password for Redis that goes with it."""

    token: Line
    broker_password: Line


class Compiler(Report):
    """Compiler on the device, or interpreter of a language."""

    name: CompilerName
    command: Line
    version: Line
    target: Line


class Processor(Report):
    """Processor as the kernel describes it; null fields have a reason in ``InventoryFacts.absent``."""

    model: DeviceName | None
    architecture: Line
    """Machine name of the kernel: x86_64, aarch64, armv7l."""
    cores: int
    online_cores: list[int]
    isa_extensions: list[Line]
    base_frequency_hz: int | None = None
    max_frequency_hz: int | None = None
    governor: Line | None = None
    microcode: Line | None = None
    """Version of the microcode, as x86 kernels report it: ``0xa0011d1``."""
    l1d_bytes: ByteCount | None = None
    l2_bytes: ByteCount | None = None
    l3_bytes: ByteCount | None = None


class InventoryFacts(Report):
    """Facts that a daemon detected about its machine, identified by the SHA-256 of their JSON."""

    host_name: DeviceName
    device_model: DeviceName | None
    """``Raspberry Pi 4 Model B Rev 1.1`` from the device tree, the DMI product name, or null."""
    processor: Processor
    memory_bytes: ByteCount
    swap_bytes: ByteCount
    operating_system: Line
    kernel: Line
    python: Line
    libc: Line | None
    compilers: list[Compiler]
    libraries: dict[Line, Line]
    """Versions by library: cryptopp, botan, openssl."""
    library_versions: dict[ProviderName, list[LibraryVersion]] = {}
    """Versions of each library that the daemon can build a runner of: the distribution's and registered ones."""
    sensors: dict[Line, Line]
    """Sources by sensor (``thermal_zone0``, ``hwmon1``)."""
    hardware_counters: bool
    """True if the kernel permits counting cycles in user mode."""
    counters: dict[Line, Line] = {}
    """GRANTED or the kernel's error, by counter (``cycles``, ``branch-misses``, …, ``cpu-migrations``)."""
    cpu_time_split: Literal["precise", "sampled", "unknown"] = "unknown"
    """precise: the kernel splits user and system time at each mode change; sampled: at each timer tick."""
    virtual_machine: Line | None
    """Vendor of the hypervisor; null on bare metal."""
    emulated: bool
    """True on an emulator of another architecture; its times are not compared with those of real machines."""
    measured_core: int
    """Core that runners are pinned to."""
    daemon_version: Line
    absent: dict[Line, Line] = {}
    """Reasons by fact that could not be read."""


class InventoryReport(Message):
    """POST /api/v1/inventories."""

    sha256: Sha256
    inventory: InventoryFacts
