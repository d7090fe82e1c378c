"""Enrollment and inventories."""

from typing import Literal

from pydantic import Field

from orchestrator.wire.base import AgentId, ByteCount, Message, Report, Sha256

GRANTED = "granted"
"""Of a counter: the kernel lets this user have it."""


class EnrollmentRequest(Message):
    """POST /api/v1/agents with the join token as bearer."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")
    """For people: the host name unless told otherwise."""


class EnrollmentResponse(Message):
    """The agent's identity. The two secrets are told once; the service keeps hashes of them."""

    agent_id: AgentId
    name: str
    agent_token: str
    broker_url: str
    """Redis without credentials: ``redis://host:port/0``, ``rediss://…`` or ``redis+socket:///path``."""
    broker_username: str
    broker_password: str
    key_prefix: str
    """The ``global_keyprefix`` of this agent's queue."""
    queue: str


class Compiler(Report):
    """A compiler found on the device."""

    name: Literal["gcc", "clang", "icpx"]
    command: str
    version: str
    target: str


class Processor(Report):
    """The processor as the kernel describes it; null with a reason in ``Inventory.absent`` where it does not."""

    model: str | None
    architecture: str
    """As the kernel prints it: x86_64, aarch64, armv7l."""
    cores: int
    online_cores: list[int]
    isa_extensions: list[str]
    base_frequency_hz: int | None = None
    max_frequency_hz: int | None = None
    governor: str | None = None
    l1d_bytes: ByteCount | None = None
    l2_bytes: ByteCount | None = None
    l3_bytes: ByteCount | None = None


class InventoryFacts(Report):
    """The facts a daemon detected about its machine; append-only, named by the SHA-256 of its JSON."""

    host_name: str
    device_model: str | None
    """``Raspberry Pi 4 Model B Rev 1.1`` from the device tree, the DMI product name, or null."""
    processor: Processor
    memory_bytes: ByteCount
    swap_bytes: ByteCount
    operating_system: str
    kernel: str
    python: str
    libc: str | None
    compilers: list[Compiler]
    libraries: dict[str, str]
    """Name → version: cryptopp, botan, openssl."""
    sensors: dict[str, str]
    """Sensor → where it was found (``thermal_zone0``, ``hwmon1``)."""
    hardware_counters: bool
    """Whether the kernel grants cycles in user mode."""
    counters: dict[str, str] = {}
    """Counter (``cycles``, ``branch-misses``, …, ``cpu-migrations``) → GRANTED, or the kernel's words."""
    cpu_time_split: Literal["precise", "sampled", "unknown"] = "unknown"
    """Whether the kernel takes user and system time at each change between them, or by a sample at each tick."""
    virtual_machine: str | None
    """Hypervisor vendor, or null on bare metal."""
    emulated: bool
    """Executed by an emulator of another architecture: its times are never compared with real ones."""
    measured_core: int
    """The core that runners are pinned to."""
    daemon_version: str
    absent: dict[str, str] = {}
    """Fact → why it could not be read."""


class InventoryReport(Message):
    """POST /api/v1/inventories."""

    sha256: Sha256
    inventory: InventoryFacts
