"""Builds of the runners on an agent, and the proofs that their known answers passed there."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from orchestrator.wire.base import ByteCount, Message, Nanoseconds, ProviderName, Sha256
from orchestrator.wire.runners import ListReport

Optimisation = Literal["O0", "O1", "O2", "O3", "Os", "Og", "Ofast"]
MachineFlag = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+._-]{1,40}$")]


class Toolchain(Message):
    """How runners are made; data, never a command line."""

    compiler: Literal["gcc", "clang", "icpx"] = "gcc"
    optimisation: Optimisation = "O2"
    march: MachineFlag | None = None
    mtune: MachineFlag | None = None
    mcpu: MachineFlag | None = None
    link: Literal["dynamic", "static"] = "dynamic"


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
    build_wall_ns: Nanoseconds | None = None
    runners: list[RunnerBinary] = Field(min_length=1)
    left_out: dict[str, str] = {}
    """Provider → why it was not built (library missing)."""


class Proof(Message):
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

    proofs: list[Proof] = Field(min_length=1, max_length=10_000)


class Calibration(Message):
    """POST /api/v1/calibrations: what measuring itself costs on this agent."""

    build_key: Sha256
    kind: Literal["noise-floor", "probe-cost", "noop"]
    value: float
    unit: str
    detail: dict[str, int | float | str] = {}
