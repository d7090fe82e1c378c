"""Builds of the runners on an agent, and the proofs that their known answers passed there."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from orchestrator.wire.base import ByteCount, Message, Nanoseconds, ProviderName, Sha256
from orchestrator.wire.runners import ListReport

CompilerName = Literal["gcc", "clang", "icpx"]
CompilerVersion = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,4}(\.[0-9]{1,4}){0,2}$")]
Linking = Literal["dynamic", "static"]
Optimization = Literal["O0", "O1", "O2", "O3", "Os", "Og", "Ofast"]
MachineFlag = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+._-]{1,40}$")]


class Toolchain(Message):
    """How runners are made; data, never a command line."""

    compiler: CompilerName = "gcc"
    version: CompilerVersion | None = None
    """``12`` or ``12.2``: the compiler of the agent's inventory whose version begins so; null takes its newest."""
    optimization: Optimization = "O2"
    march: MachineFlag | None = None
    mtune: MachineFlag | None = None
    mcpu: MachineFlag | None = None
    link: Linking = "dynamic"

    @property
    def words(self) -> str:
        """``gcc 12 -O3 -march=native static``: for people, and never for a command line."""
        flags = [f"-{name}={value}" for name in ("march", "mtune", "mcpu") if (value := getattr(self, name))]
        compiler = f"{self.compiler} {self.version}" if self.version else self.compiler
        return " ".join([compiler, f"-{self.optimization}", *flags, *(["static"] if self.link == "static" else [])])

    @property
    def key(self) -> str:
        """SHA-256 of what was asked for; two toolchains of one key are the same."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class RunnerBinary(Message):
    """One program of a build."""

    provider: ProviderName
    sha256: Sha256
    size_bytes: ByteCount
    library_path: str | None = None
    library_sha256: Sha256 | None = None
    """Of the cryptographic library it loads; null where it is linked in."""
    listing: ListReport


class BuildReport(Message):
    """POST /api/v1/builds: one toolchain's runners on one agent."""

    build_key: Sha256
    """Of runner source, toolchain, compiler identity and library versions: the daemon's name of the build."""
    source_sha256: Sha256 | None
    """Of the runner sources; null where ready-made programs were installed."""
    toolchain: Toolchain
    compiler_version: str
    prebuilt: bool = False
    is_default: bool = False
    """Made at the daemon's start, for plans that name no toolchain."""
    compile_commands: dict[str, str] = {}
    """``ciphers``, ``own``, ``cryptopp`` … → the whole command line that compiled or linked it, with the folders
    replaced by ``<source>`` and ``<build>``."""
    build_wall_ns: Nanoseconds | None = None
    runners: list[RunnerBinary] = Field(min_length=1)
    missing_providers: dict[str, str] = {}
    """Provider → why it was not built (library missing)."""


class BuildOrder(Message):
    """A toolchain that the service wants from an agent; told in answers to heartbeats until it is settled."""

    request_id: int = Field(ge=1)
    toolchain: dict[str, object]
    """As a Toolchain; the daemon validates it by itself, so that a bad one is answered and costs no heartbeat."""


class BuildOutcome(Message):
    """POST /api/v1/build-requests/{id}/outcome: exactly one of the two."""

    build_key: Sha256 | None = None
    """Of the build, which was reported and proved before."""
    failure: str | None = Field(default=None, min_length=1, max_length=8000)
    """Why there is none: what was missing, or the compiler's last lines."""

    @model_validator(mode="after")
    def _one_of_both(self) -> "BuildOutcome":
        if (self.build_key is None) == (self.failure is None):
            raise ValueError("an outcome names either its build or its failure")
        return self


class FootprintResult(Message):
    """What one implementation takes in memory; null with a reason where it could not be found."""

    provider: ProviderName
    algorithm: str
    variant: str
    code_bytes: ByteCount | None
    """.text and .rodata of a program that holds this implementation alone, less those of an empty program."""
    static_ram_bytes: ByteCount | None
    """.data and .bss, likewise."""
    context_bytes: ByteCount | None
    """What the caller holds for a key."""
    key_setup_stack_bytes: ByteCount | None
    encrypt_stack_bytes: ByteCount | None
    decrypt_stack_bytes: ByteCount | None
    reason: str = Field(default="", max_length=2000)
    """Why values are null."""


class FootprintReport(Message):
    """POST /api/v1/builds/{build_key}/footprints."""

    footprints: list[FootprintResult] = Field(min_length=1, max_length=10_000)


class ProofResult(Message):
    """The known answers of one implementation on one build."""

    provider: ProviderName
    algorithm: str
    variant: str
    passed: bool
    output_sha256: Sha256 | None
    """Of what ``kat`` printed."""
    detail: str = Field(default="", max_length=2000)


class ProofReport(Message):
    """POST /api/v1/builds/{build_key}/proofs."""

    proofs: list[ProofResult] = Field(min_length=1, max_length=10_000)


class CalibrationReport(Message):
    """POST /api/v1/calibrations: what measuring itself costs on this agent."""

    build_key: Sha256
    kind: Literal["noise-floor", "probe-cost", "noop"]
    value: float
    unit: str
    detail: dict[str, int | float | str] = {}
