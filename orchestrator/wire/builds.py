"""Builds of the runners on an agent, their proofs, footprints and calibrations, and orders for builds."""

import hashlib
import operator
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from orchestrator.shared.values.library_versions import LibraryVersion
from orchestrator.shared.values.text import worded
from orchestrator.wire.base import (
    CpuFeature,
    Document,
    Line,
    Message,
    ProviderName,
    Report,
    Sha256,
    StoredCount,
    Text,
    Time,
)
from orchestrator.wire.languages.all_languages import language_of_tool
from orchestrator.wire.messages import Degree, GeneratorName, OperationName, Shares, phases_of
from orchestrator.wire.runners import ListReport

NativeCompiler = Literal["gcc", "clang", "icpx"]
CompilerName = Literal[
    "gcc", "clang", "icpx", "cpython", "pypy", "node", "go", "rustc", "java",
    "cpython-binding", "node-binding", "go-binding", "rustc-binding",
]  # fmt: skip
"""Compilers of the native runners, and the tools of the languages in orchestrator/wire/languages."""
_VERSION = worded(r"^[0-9]{1,4}(\.[0-9]{1,4}){0,2}$", "one to three numbers with dots between them, such as 12.2")
CompilerVersion = Annotated[str, StringConstraints(pattern=_VERSION)]
Linking = Literal["dynamic", "static"]
Optimization = Literal["O0", "O1", "O2", "O3", "Os", "Og", "Ofast"]
_FLAG = worded(r"^[A-Za-z0-9+._-]{1,40}$", "1 to 40 letters, digits and the signs +._-, such as armv8-a+crypto")
MachineFlag = Annotated[str, StringConstraints(pattern=_FLAG)]
DeviceMachine = Literal["aarch64", "armhf", "x86_64"]
"""Kind of device by its userland: ``armhf`` includes a 32-bit system on a 64-bit kernel."""
LengthText = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,10}$")]
"""Length in bytes as a key of a JSON object."""
_TARGET = worded(r"^[a-z0-9+.-]{0,32}$", "the name of a processor, such as cortex-m0+")
TargetName = Annotated[str, StringConstraints(pattern=_TARGET)]
"""Processor that own ciphers are compiled for without owning it: ``cortex-m0+``; empty: none."""
Hexadecimal = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{2})*$", max_length=256)]


_DEFAULT_OPTIMIZATION = "O2"


def takes_option(compiler: str, name: str, value: object) -> bool:
    """Return whether a compiler or tool has an option of a toolchain in this value; every tool has the defaults."""
    language = language_of_tool(compiler)
    if language is None or value is None:
        return True
    taken = {
        "optimization": value in language.options,
        "march": language.machine_option is not None,
        "mtune": False,
        "mcpu": False,
        "link": value == "dynamic",
        "library": False,
        "masked": not value,
    }
    return taken.get(name, True)


class BuildLibrary(Message):
    """Version of a library that a build is made of."""

    provider: ProviderName
    version: LibraryVersion

    @property
    def words(self) -> str:
        """Label for users: ``botan 2.19.3``."""
        return f"{self.provider} {self.version}"


def _is_absent(value: object) -> bool:
    return value is None


class Toolchain(Message):
    """Compiler, version, optimization, target and linking of a build: data, never a command line.

    The tool of a language takes the options that the language declares; O2 is its default behavior.
    """

    compiler: CompilerName = "gcc"
    version: CompilerVersion | None = None
    """Prefix of the version in the agent's inventory, ``12`` or ``12.2``; null selects the newest compiler."""
    optimization: Optimization = "O2"
    march: MachineFlag | None = None
    mtune: MachineFlag | None = None
    mcpu: MachineFlag | None = None
    link: Linking = "dynamic"
    library: BuildLibrary | None = Field(default=None, exclude_if=_is_absent)
    """The only library of the build, in this version; null makes all runners, of the libraries of the distribution. A
    document without it is that of an earlier version, whose key it keeps."""
    masked: bool = Field(default=False, exclude_if=operator.not_)
    """Own ciphers with their masked variants, which take longer to compile than all others together; selected by the
    masking of a plan, never by its toolchains."""

    @model_validator(mode="after")
    def _options_that_its_tool_has(self) -> "Toolchain":
        if excess := self.foreign_options():
            raise ValueError(f"{self.compiler} does not have the options {', '.join(excess)}")
        return self

    def foreign_options(self) -> list[str]:
        """Return the names of the options that the tool of a language does not have; native compilers have all."""
        names = ("optimization", "march", "mtune", "mcpu", "link", "library", "masked")
        return [name for name in names if not takes_option(self.compiler, name, getattr(self, name))]

    @property
    def words(self) -> str:
        """Label for users, for example ``gcc 12 -O3 static botan 2.19.3``; never part of a command line."""
        compiler = f"{self.compiler} {self.version}" if self.version else self.compiler
        if language_of_tool(self.compiler) is not None and self.optimization == _DEFAULT_OPTIMIZATION:
            return " ".join([compiler, *self.flags[1:]])
        linking = ["static"] if self.link == "static" else []
        library = [self.library.words] if self.library else []
        masked = ["with masked variants"] if self.masked else []
        return " ".join([compiler, *self.flags, *linking, *library, *masked])

    @property
    def flags(self) -> list[str]:
        """Optimization and target as a compiler takes them."""
        target = [f"-{name}={value}" for name in ("march", "mtune", "mcpu") if (value := getattr(self, name))]
        return [f"-{self.optimization}", *target]

    @property
    def key(self) -> str:
        """SHA-256 of the toolchain; equal toolchains have equal keys."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class RunnerBinary(Message):
    """Runner program of a build."""

    provider: ProviderName
    sha256: Sha256
    size_bytes: StoredCount
    library_path: Line | None = None
    library_sha256: Sha256 | None = None
    """SHA-256 of the cryptographic library that the program loads, or of the interpreter that executes it; null if it
    is linked statically."""
    start: list[Line] = Field(default=[], max_length=64)
    """Command that starts the provider of a language, in whose words ``{folder}`` is the folder of its files; empty for
    a native program."""
    listing: ListReport


class TargetPackage(Report):
    """Package of the target's distribution whose library is linked into the programs."""

    name: Line
    version: Line
    architecture: Line
    """Architecture in the distribution's words: ``arm64``, ``armhf``."""
    sha256: Sha256 | None
    """SHA-256 of the package file, verified by apt; null for a package that is installed on the machine itself."""


class CrossBuilt(Report):
    """Origin of cross-built programs: the place, the time, and the parts they were made of."""

    machine: DeviceMachine
    host_name: Line
    """Machine that compiled the programs."""
    operating_system: Line
    """Operating system of that machine."""
    made_at: Time
    compiler_version: Line
    """First line of the cross compiler's ``--version``."""
    target: Line
    """GNU triplet that the compiler generates code for."""
    required_features: list[CpuFeature]
    """CPU features that all programs need, in the names of /proc/cpuinfo; variants check further ones themselves."""
    packages: list[TargetPackage]
    emulator: Line | None
    """Emulator that executed the programs before they were offered; null on a host that executes them itself."""
    known_answers_passed: StoredCount
    """Implementations whose known answers passed there."""
    known_answers_failed: list[Text] = Field(default=[], max_length=1000)
    """Implementations whose known answers failed there, each with the reason; the device proves all again."""

    @property
    def words(self) -> str:
        """Origin for users: ``cross-built on box at 2026-11-22 08:30 UTC by aarch64-linux-gnu-g++ … 12.2.0``."""
        at = self.made_at.astimezone(UTC)
        return f"cross-built on {self.host_name} at {at:%Y-%m-%d %H:%M} UTC by {self.compiler_version}"

    @property
    def package_words(self) -> str:
        """Linked packages for users: name, version and architecture of each."""
        return ", ".join(f"{one.name} {one.version} ({one.architecture})" for one in self.packages)


def build_words(toolchain: Mapping[str, object], cross_built: object) -> str:
    """Return the label of a build for users: its toolchain, and whether another machine compiled it."""
    words = Toolchain.model_validate(toolchain).words
    return f"{words} cross-built" if cross_built else words


class BuildReport(Message):
    """Build of the runners by one toolchain on one agent (POST /api/v1/builds)."""

    build_key: Sha256
    """SHA-256 of runner sources, toolchain, compiler identity and library versions, which identifies the build."""
    source_sha256: Sha256 | None
    """SHA-256 of the runner sources; null for prebuilt programs."""
    toolchain: Toolchain
    compiler_version: Line
    prebuilt: bool = False
    """True for programs of unknown origin, from the folder in CIPHERMARK_RUNNERS_FOLDER."""
    cross_built: CrossBuilt | None = None
    """Origin of programs that the service's machine compiled; null for programs that were compiled on the agent."""
    is_default: bool = False
    """True for the build that the daemon makes at its start, for plans without a toolchain."""
    compile_commands: dict[Line, Line] = {}
    """Command lines that compiled or linked each target (``ciphers``, ``own``, ``cryptopp`` …), with the folders
    replaced by ``<source>`` and ``<build>``."""
    build_wall_ns: StoredCount | None = None
    runners: list[RunnerBinary] = Field(min_length=1)
    missing_providers: dict[Line, Text] = {}
    """Reasons by provider that was not built, for example a missing library."""


class BuildOrder(Message):
    """Toolchain that an agent is to build; every response to a heartbeat repeats it until the request is settled."""

    request_id: int = Field(ge=1, lt=2**63)
    toolchain: Document
    """Fields of a Toolchain. The daemon validates them, so that an invalid order fails alone and not the heartbeat."""


class BuildOutcome(Message):
    """Outcome of a build request, either a build or a failure (POST /api/v1/build-requests/{id}/outcome)."""

    build_key: Sha256 | None = None
    """Key of the build, which was reported and proved before."""
    failure: Text | None = Field(default=None, min_length=1, max_length=8000)
    """Reason of the failure: the missing program, or the last lines of the compiler."""

    @model_validator(mode="after")
    def _one_of_both(self) -> "BuildOutcome":
        if (self.build_key is None) == (self.failure is None):
            raise ValueError("an outcome has either a build_key or a failure")
        return self


class _OfImplementation(Message):
    """Message about one implementation of a build."""

    provider: ProviderName
    algorithm: Line
    variant: Line


class FootprintResult(_OfImplementation):
    """Memory footprint of one implementation; null fields have a reason."""

    target: TargetName = ""
    """Processor that it was compiled for, of the runners' targets.txt; empty: the one that the build is for."""
    code_bytes: StoredCount | None
    """.text and .rodata of a program with this implementation alone, less those of an empty program."""
    constant_bytes: StoredCount | None = None
    """Of `code_bytes`, the .rodata."""
    static_ram_bytes: StoredCount | None
    """.data and .bss of the same program, less those of an empty program."""
    context_bytes: StoredCount | None
    """Size of the context that the caller stores for a key."""
    stack_bytes: dict[OperationName, StoredCount] | None = Field(max_length=8)
    """Deepest stack of each operation."""
    reason: Text = Field(default="", max_length=2000)
    """Reason of the null fields."""


def stack_operations(stacks: Iterable[Mapping[str, int] | None]) -> list[str]:
    """Return the operations whose stack is known of at least one implementation, in the order of the runners."""
    return list(dict.fromkeys(name for stack in stacks for name in stack or ()))


def stack_columns(stack: Mapping[str, int] | None) -> dict[str, int]:
    """Return the stack of each operation by its name in tables: ``key_setup_stack_bytes``."""
    return {stack_column(phase): used for name, used in (stack or {}).items() for phase in phases_of(name)}


def stack_column(phase: str) -> str:
    """Return the name in tables of the stack of an operation, from the name of its phase."""
    return f"{phase}_stack_bytes"


class FootprintReport(Message):
    """Footprints of a build (POST /api/v1/builds/{build}/footprints)."""

    footprints: list[FootprintResult] = Field(min_length=1, max_length=10_000)


class ConstantTimeResult(_OfImplementation):
    """Search for effects of secrets in one implementation; a null result has a reason."""

    errors: int | None = Field(ge=0, lt=2**31)
    """Branches and addresses that depend on a secret, as memcheck reported them: a lower bound. Null: not checked."""
    max_message_bytes: int | None = Field(default=None, ge=0, lt=2**31)
    """Longest message that was checked."""
    hidden_features: list[CpuFeature] = Field(default=[], max_length=64)
    """Features of the processor that valgrind hides: a library may have other code for a processor with them."""
    reason: Text = Field(default="", max_length=500)
    """Why `errors` is null."""
    t: float | None = Field(default=None)
    """Welch's t of times with fixed and with random inputs. Null: not measured."""
    timed_calls: int | None = Field(default=None, ge=0, lt=2**31)
    timing_reason: Text = Field(default="", max_length=500)
    """Why `t` is null."""

    @model_validator(mode="after")
    def _values_or_reasons(self) -> "ConstantTimeResult":
        if (self.errors is None) != bool(self.reason) or (self.t is None) != bool(self.timing_reason):
            raise ValueError("errors and t are each null with a reason, or values without one")
        return self


class ConstantTimeReport(Message):
    """Results of a build's implementations (POST /api/v1/builds/{build}/constant-time)."""

    results: list[ConstantTimeResult] = Field(min_length=1, max_length=10_000)


class ProofResult(_OfImplementation):
    """Result of the known-answer tests of one implementation on one build."""

    passed: bool
    output_sha256: Sha256 | None
    """SHA-256 of the output of ``kat``."""
    detail: Text = Field(default="", max_length=2000)
    relative_times: dict[LengthText, float] = Field(default={}, max_length=16)
    """Length of a message in bytes → its time divided by that of the runner's own choice; empty: not calibrated."""
    fastest_at: list[StoredCount] = Field(default=[], max_length=16)
    """Of these lengths, those for which it is the default variant; empty for all: the runner's own choice."""

    @model_validator(mode="after")
    def _default_only_where_timed(self) -> "ProofResult":
        untimed = [length for length in self.fastest_at if str(length) not in self.relative_times]
        if untimed:
            timed = ", ".join(self.relative_times) or "none"
            raise ValueError(f"fastest_at has {untimed[0]} bytes; expected one of the timed lengths: {timed}")
        return self


class ProofReport(Message):
    """Proofs of a build (POST /api/v1/builds/{build}/proofs)."""

    proofs: list[ProofResult] = Field(min_length=1, max_length=10_000)


class Challenge(_OfImplementation):
    """Message of a random length that an implementation encrypts with a random key and nonce."""

    id: int = Field(ge=1)
    shares: Shares | None = None
    """Form of a masked variant; null for an unmasked implementation, like the next two."""
    masking: Degree | None = None
    generator: GeneratorName | None = None
    key: Hexadecimal
    nonce: Hexadecimal
    """Empty for a mode without a nonce."""
    seed: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    message_bytes: int = Field(ge=0, le=1_048_576)


def challenge_message(seed: str, message_bytes: int) -> bytes:
    """Return the message of a challenge: the first bytes of SHAKE-256 over the seed."""
    return hashlib.shake_256(bytes.fromhex(seed)).digest(message_bytes)


class ProofsReceived(Report):
    """Response to proofs: the challenges to answer (POST /api/v1/builds/{build_key}/challenge-answers)."""

    challenges: list[Challenge] = []


class ChallengeAnswer(Message):
    """Answer to one challenge: the SHA-256 of ciphertext and tag, or the error of the runner."""

    challenge_id: int = Field(ge=1, lt=2**63)
    output_sha256: Sha256 | None = None
    error: Text = Field(default="", max_length=1000)


class ChallengeAnswers(Message):
    """Answers to the challenges of a build."""

    answers: list[ChallengeAnswer] = Field(min_length=1, max_length=1000)


class CalibrationReport(Message):
    """Overhead of measuring on a build, or its noise floor (POST /api/v1/calibrations)."""

    build_key: Sha256
    kind: Literal["noise-floor", "probe-cost", "noop"]
    value: float
    unit: Line
    detail: dict[Line, int | float | Line] = {}
