"""Plan: the document, written in YAML or JSON, that specifies what to measure. It is stored as submitted."""

import re
from itertools import product
from math import prod
from typing import Annotated, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from orchestrator.shared.units import GIB, parse_size_bytes
from orchestrator.shared.values.library_versions import LibraryPattern
from orchestrator.shared.values.text import SLUG_PATTERN, worded
from orchestrator.wire.agents import AgentLabel
from orchestrator.wire.base import Line, Message, ProviderName, Text
from orchestrator.wire.builds import (
    CompilerName,
    CompilerVersion,
    Linking,
    MachineFlag,
    Optimization,
    Toolchain,
    takes_option,
)
from orchestrator.wire.messages import (
    MAX_BATCH,
    MAX_GENERATORS,
    MAX_SHARES,
    MIN_SHARES,
    Call,
    Fill,
    KeyFill,
    KeySetup,
    OperationName,
    Shares,
)

PLAN_VERSION = 1
"""History: 1, the first (2026-11)."""

RENAMED_KEYS = {
    "optimisation": "optimization",
    "least_timing_ms": "min_timing_ms",
    "maximum_repetitions": "max_repetitions",
    "maximum_temperature_celsius": "max_temperature_celsius",
    "maximum_others_share": "max_others_share",
}
"""Current names by key of plans for Ciphermark 0.1."""


def _number(value: object) -> object:
    # True equals 1, which is all that a Literal compares.
    if isinstance(value, bool):
        raise ValueError("expected 1")
    return value


PlanVersion = Annotated[Literal[1], BeforeValidator(_number)]

ChunkKind = Literal["random", "audio", "video", "text"]

_GLOB = worded(r"^[a-z0-9*?\[\]!_-]+$", "lower-case letters, digits, hyphens and the signs *?[]!, such as aes-192-*")
Glob = Annotated[str, StringConstraints(pattern=_GLOB, min_length=1, max_length=64)]
"""Shell-style pattern for ids: ``aes-192-*``. ``noop`` is matched only by its full name."""


def _chunk_size(size_bytes: int) -> int:
    if not 1 <= size_bytes <= GIB:
        raise ValueError(f"a chunk has {size_bytes} bytes; expected 1 byte to 1 GiB")
    return size_bytes


ChunkSize = Annotated[int, BeforeValidator(parse_size_bytes), AfterValidator(_chunk_size)]


class Inputs(Message):
    """Chunks of a matrix: every kind in every length."""

    kinds: list[ChunkKind] = Field(default=["random", "audio", "video", "text"], min_length=1, max_length=4)
    sizes: list[ChunkSize] = Field(min_length=1, max_length=1000)


def _message_size(size_bytes: int) -> int:
    if not 0 <= size_bytes <= GIB:
        raise ValueError(f"a message has {size_bytes} bytes; expected 0 bytes to 1 GiB")
    return size_bytes


MessageSize = Annotated[int, BeforeValidator(parse_size_bytes), AfterValidator(_message_size)]


def _operation(name: str) -> str:
    call = Call.of(name)
    if call != Call(name) and not 2 <= call.messages <= MAX_BATCH:
        raise ValueError(f"a batch has {call.messages} messages; expected 2 to {MAX_BATCH}")
    return name


class Messages(Message):
    """Messages that the latency protocol times: every length with every length of associated data."""

    lengths: list[MessageSize] = Field(min_length=1, max_length=1000)
    associated_data_lengths: list[MessageSize] = Field(default=[0], min_length=1, max_length=100)
    """Lengths of associated data; for algorithms other than AEADs, lengths above 0 are omitted."""
    fill: Fill = "counter"
    key: KeyFill = "counter"
    """Contents of key and nonce."""
    operations: list[Annotated[OperationName, AfterValidator(_operation)]] = Field(
        default=["encrypt", "decrypt"], min_length=1, max_length=16
    )
    """Timed operations, as the runners declare them; one without a message is one case for all lengths. Ciphers also
    process batches: ``encrypt-32`` are 32 messages in one call, ``encrypt-32-keys`` the same with a key for each."""
    key_setup: list[KeySetup] = Field(default=["apart"], min_length=1, max_length=2)
    """``included`` sets the key in each call, like a device that processes single messages."""
    timings: int = Field(default=10, ge=1, le=1000)
    """Number of timings in one execution."""
    min_timing_ms: float = Field(default=10.0, ge=0.1, le=10_000)


def _as_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


ALL = "*"
"""Selects every value that an axis has."""


def _share_count(value: object) -> object:
    if value == ALL or (type(value) is int and MIN_SHARES <= value <= MAX_SHARES):
        return value
    raise ValueError(f"masked variants have {MIN_SHARES} to {MAX_SHARES} shares; expected one of these numbers, or *")


_GENERATOR = worded(r"^(\*|[a-z0-9]+(-[a-z0-9]+)*)$", "* or a name in lower-case letters, digits and single hyphens")
GeneratorChoice = Annotated[str, StringConstraints(pattern=_GENERATOR, max_length=16)]


class Masking(Message):
    """Forms of masked variants: shares × degrees × generators; each key has one value, a list, or ``*`` for all."""

    shares: Annotated[
        list[Annotated[Shares | Literal["*"], BeforeValidator(_share_count)]],
        BeforeValidator(_as_list),
        Field(min_length=1, max_length=MAX_SHARES),
    ]
    degrees: Annotated[
        list[Literal["full", "init-final", "init", "*"]], BeforeValidator(_as_list), Field(min_length=1, max_length=4)
    ]
    """``full``: the whole cipher; ``init-final``: initialization and finalization; ``init``: initialization only."""
    generators: Annotated[
        list[GeneratorChoice], BeforeValidator(_as_list), Field(min_length=1, max_length=MAX_GENERATORS)
    ] = ["chacha20"]
    """Random generators, by the names that runners list."""


DEFAULT_VARIANT = "default"
SMALLEST_VARIANT = "smallest"
CHOSEN_VARIANTS = (DEFAULT_VARIANT, SMALLEST_VARIANT)
"""Variants that an agent's own figures choose."""


class Matrix(Message):
    """Combinations to measure: providers × algorithms × variants × inputs (or messages)."""

    providers: list[Glob] = Field(min_length=1, max_length=100)
    algorithms: list[Glob] = Field(min_length=1, max_length=1000)
    variants: list[Glob] = Field(default=[DEFAULT_VARIANT], min_length=1, max_length=100)
    """``default``: those that are the fastest on an agent for one of the lengths; ``smallest``: the one with the least
    code there; ``*``: all that it supports."""
    masking: Masking | None = None
    """Masked variants in these forms, and no others; a matrix without it selects unmasked variants only."""
    protocol: Literal["process", "latency"] = "process"
    inputs: Inputs | None = None
    messages: Messages | None = None
    copies: int = Field(default=1, ge=1, le=1000)
    """Number of copies of each case in the run. A difference between copies is a false positive; their rate shows how
    reliable the other differences are."""

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of its chunks or messages in bytes."""
        sizes = self.inputs.sizes if self.inputs is not None else []
        return tuple(self.messages.lengths if self.messages is not None else sizes)

    @model_validator(mode="after")
    def _what_its_protocol_takes(self) -> "Matrix":
        required, other = ("inputs", "messages") if self.protocol == "process" else ("messages", "inputs")
        if getattr(self, required) is None or getattr(self, other) is not None:
            raise ValueError(f"the protocol {self.protocol} requires {required} and does not accept {other}")
        return self


class ToolchainAxes(Message):
    """Toolchains: every combination of the values; each key has one value or a list.

    Values that the tool of a language does not have apply to the other compilers only.
    """

    compiler: Annotated[list[CompilerName], BeforeValidator(_as_list), Field(min_length=1)] = ["gcc"]
    version: Annotated[list[CompilerVersion | None], BeforeValidator(_as_list), Field(min_length=1)] = [None]
    optimization: Annotated[list[Optimization], BeforeValidator(_as_list), Field(min_length=1)] = ["O2"]
    march: Annotated[list[MachineFlag | None], BeforeValidator(_as_list), Field(min_length=1)] = [None]
    mtune: Annotated[list[MachineFlag | None], BeforeValidator(_as_list), Field(min_length=1)] = [None]
    mcpu: Annotated[list[MachineFlag | None], BeforeValidator(_as_list), Field(min_length=1)] = [None]
    link: Annotated[list[Linking], BeforeValidator(_as_list), Field(min_length=1)] = ["dynamic"]

    def expand(self) -> list[Toolchain]:
        """Return each combination once, in order."""
        names = list(type(self).model_fields)
        combinations = (
            dict(zip(names, values, strict=True)) for values in product(*(getattr(self, name) for name in names))
        )
        return list(dict.fromkeys(_toolchain(values) for values in combinations))

    @model_validator(mode="after")
    def _options_that_a_compiler_has(self) -> "ToolchainAxes":
        for name in ("optimization", "march", "mtune", "mcpu", "link"):
            for value in getattr(self, name):
                if not any(takes_option(compiler, name, value) for compiler in self.compiler):
                    raise ValueError(f"{' and '.join(self.compiler)} cannot be used with {name} {value}")
        return self


def _toolchain(values: dict[str, object]) -> Toolchain:
    compiler = str(values["compiler"])
    return Toolchain.model_validate({name: one for name, one in values.items() if takes_option(compiler, name, one)})


class Precision(Message):
    """Rule that stops a case at a given precision. It uses only the width of the case's own interval: a rule that stops
    at the first significant comparison would produce false positives."""

    relative_interval: float = Field(ge=0.0001, le=0.5)
    """Half the width of the 95 % interval of the case's median, as a share of the median: 0.01 is ± 1 %. Of
    ``work_wall_ns``, under the latency protocol of ``call_wall_ns``."""
    max_repetitions: int = Field(ge=1, le=100_000)
    """The minimum is the plan's ``repetitions``."""
    seconds_per_case: float = Field(default=60.0, gt=0, le=86_400)
    """Time after which a case stops without having reached the precision."""


class Energy(Message):
    """Windows of repeated executions in which energy is measured: most meters are slower than one execution."""

    window_seconds: float = Field(default=5.0, ge=0.1, le=600)
    windows: int = Field(default=3, ge=1, le=1000)
    """Number of windows of each case."""


class Conditions(Message):
    """Conditions that the daemon waits for before each execution; after `wait_seconds` it continues and marks it."""

    max_temperature_celsius: float | None = Field(default=None, gt=0, le=150)
    max_others_share: float | None = Field(default=None, gt=0, le=1)
    """CPU time of other programs on the measured core, as a share of the time since the previous execution."""
    wait_seconds: float = Field(default=10.0, ge=0, le=3600)

    @property
    def are_limited(self) -> bool:
        """True if an execution may have to wait for one of them."""
        return self.max_temperature_celsius is not None or self.max_others_share is not None


class MemoryBound(NamedTuple):
    """Limit of an agent's memory."""

    at_least: bool
    """True for a lower limit, False for an upper one."""
    size_bytes: int

    def includes(self, memory_bytes: int) -> bool:
        """Return whether a memory of this size is within the limit."""
        return memory_bytes >= self.size_bytes if self.at_least else memory_bytes <= self.size_bytes


_MEMORY = re.compile(r"\s*(>=|<=)\s*(.+)")


def parse_memory(text: str) -> MemoryBound:
    """Return the limit in ``>= 1 GiB`` or ``<= 512 MiB``; raise ValueError for another text."""
    match = _MEMORY.fullmatch(text)
    if match is None:
        raise ValueError(f"expected >= or <= and a size, such as '>= 1 GiB', got {text!r}")
    return MemoryBound(match.group(1) == ">=", parse_size_bytes(match.group(2)))


def _memory(text: str) -> str:
    parse_memory(text)
    return text


_FEATURE = worded(r"^[a-z0-9][a-z0-9_.-]*$", "lower-case letters, digits, dots, underscores and hyphens, such as avx2")
_ARCHITECTURE = worded(r"^[a-z0-9_]+$", "lower-case letters, digits and underscores, such as x86_64")


class Requirements(Message):
    """Facts that an agent must have detected, and labels that it must have, to be an agent of the run."""

    features: list[
        Annotated[str, StringConstraints(pattern=_FEATURE, max_length=32)]
    ] = Field(default=[], max_length=64)  # fmt: skip
    """Features of the processor, by the names in ``/proc/cpuinfo``: ``aes``, ``avx2``, ``asimd``."""
    counters: bool = False
    """The kernel must permit hardware counters."""
    meter: bool = False
    """The agent must have an energy meter."""
    memory: Annotated[str, StringConstraints(max_length=40), AfterValidator(_memory)] | None = Field(
        default=None, examples=[">= 1 GiB"]
    )
    """Limit of the memory that the kernel reports: ``>= 1 GiB`` or ``<= 512 MiB``."""
    labels: list[AgentLabel] = Field(default=[], max_length=32)
    """Labels that the agent must have, all of them."""


LibraryPatterns = Annotated[list[LibraryPattern], BeforeValidator(_as_list), Field(min_length=1, max_length=16)]

MAX_TOOLCHAINS = 64
"""Maximum number of toolchains in one plan: each is a build of a minute or more on every agent."""


class Plan(Message):
    """Plan: cases, repetitions, agents and limits of a run."""

    version: PlanVersion
    name: str = Field(pattern=SLUG_PATTERN, max_length=64)
    description: Text = Field(default="", max_length=4000)
    repetitions: int = Field(ge=1, le=100_000)
    precision: Precision | None = None
    """Repeat each case until it is precise enough; ``repetitions`` are then the minimum."""
    warm_up: int = Field(default=0, ge=0, le=1000)
    """Number of warm-up executions of each case before the first block, which statistics ignore."""
    memory: Literal["with-timing", "apart"] = "with-timing"
    """``apart``: timed executions are not sampled, and memory is measured in separate executions."""
    memory_repetitions: int = Field(default=3, ge=1, le=1000)
    """Number of executions of each case for memory, if memory is ``apart``."""
    shell_repetitions: int = Field(default=0, ge=0, le=1000)
    """Number of separate executions of each case that a shell starts and whose shell is watched by polling, as some
    published benchmarks do; statistics ignore them. At most ``repetitions``, like the next."""
    blocked_repetitions: int = Field(default=0, ge=0, le=1000)
    """Number of separate executions of each case in blocked order: all of a case, then all of the next. Statistics and
    rankings ignore them."""
    energy: Energy | None = None
    conditions: Conditions = Conditions()
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    """Seed of the order of executions; drawn and stored at submission if the plan has none."""
    agents: list[Annotated[Line, StringConstraints(min_length=1, max_length=80)]] = Field(
        default=["*"], min_length=1, max_length=1000
    )
    """Ids, names or name patterns of agents."""
    architectures: list[Annotated[str, StringConstraints(pattern=_ARCHITECTURE, max_length=16)]] = Field(
        default=[], max_length=16
    )
    """Machine names of the kernel (x86_64, aarch64, armv7l); an empty list permits all."""
    requires: Requirements | None = None
    """Facts and labels that the run's agents must have at the submission."""
    timeout_seconds: float = Field(default=60.0, gt=0, le=86_400)
    """Time limit of one execution, after which the launcher ends the runner."""
    output_limit_bytes: int = Field(default=1_048_576, ge=1024, le=67_108_864)
    """Limit of the standard output of one execution, and of its standard error."""
    priority: int = Field(default=5, ge=0, le=9)
    """Priority from 0, executed first, to 9."""
    start: Literal["as-ready", "together"] = "as-ready"
    """``as-ready``: each agent starts when its own builds are ready; ``together``: when those of all agents are."""
    toolchains: list[ToolchainAxes] = Field(default=[], max_length=MAX_TOOLCHAINS)
    """Toolchains that every case is executed with; an empty list selects the default build of each agent."""
    libraries: dict[ProviderName, LibraryPatterns] = Field(default={}, max_length=16)
    """Versions of libraries: each that an agent has and a pattern matches is a build of its own, with every native
    toolchain. A library that is not named here is the one of the distribution."""
    matrix: list[Matrix] = Field(min_length=1, max_length=100)

    @field_validator("precision")
    @classmethod
    def _max_is_at_least_min(cls, precision: Precision | None, info: ValidationInfo) -> Precision | None:
        minimum = info.data.get("repetitions", 0)
        if precision is not None and precision.max_repetitions < minimum:
            raise ValueError(
                f"max_repetitions is {precision.max_repetitions}; expected at least {minimum}, the plan's repetitions"
            )
        return precision

    @field_validator("memory_repetitions")
    @classmethod
    def _only_of_memory_apart(cls, repetitions: int, info: ValidationInfo) -> int:
        # The default is accepted, because plans returned by the service contain every key.
        if info.data.get("memory") == "with-timing" and repetitions != cls.model_fields["memory_repetitions"].default:
            raise ValueError("memory is with-timing; memory_repetitions requires memory: apart")
        return repetitions

    @field_validator("shell_repetitions", "blocked_repetitions")
    @classmethod
    def _at_most_the_timed_ones(cls, repetitions: int, info: ValidationInfo) -> int:
        timed = info.data.get("repetitions", 0)
        if repetitions > timed:
            raise ValueError(f"expected at most {timed}, the plan's repetitions, with which they are compared")
        return repetitions

    @model_validator(mode="after")
    def _not_too_many_toolchains(self) -> "Plan":
        count = sum(prod(len(getattr(axes, name)) for name in ToolchainAxes.model_fields) for axes in self.toolchains)
        if count > MAX_TOOLCHAINS:
            raise ValueError(f"the plan has {count} toolchains; at most {MAX_TOOLCHAINS} are allowed")
        return self

    @property
    def is_masked(self) -> bool:
        """Return whether a matrix selects masked variants."""
        return any(matrix.masking is not None for matrix in self.matrix)

    def all_toolchains(self, default_is_masked: bool = True) -> list[Toolchain]:
        """Return all toolchains of the plan without duplicates; those of native compilers make its masked variants.

        default_is_masked: whether the default build has masked variants. A plan with masked variants and without
        toolchains has one that makes them where the default build lacks them.
        """
        if not self.toolchains and self.is_masked and not default_is_masked:
            return [Toolchain(masked=True)]
        named = (toolchain for axes in self.toolchains for toolchain in axes.expand())
        masked = (
            one.model_copy(update={"masked": self.is_masked and takes_option(one.compiler, "masked", True)})
            for one in named
        )
        return list(dict.fromkeys(masked))
