"""A plan: the document that says what to measure. Written in YAML or JSON by a person, stored as submitted."""

from itertools import product
from math import prod
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from orchestrator.units import GIB, parse_size_bytes
from orchestrator.wire.base import Message
from orchestrator.wire.builds import CompilerName, CompilerVersion, Linking, MachineFlag, Optimization, Toolchain
from orchestrator.wire.messages import Fill, KeyFill, KeySetup, LatencyOperation

PLAN_VERSION = 1
"""History: 1, the first (2026-11)."""

RENAMED_KEYS = {
    "optimisation": "optimization",
    "least_timing_ms": "min_timing_ms",
    "maximum_repetitions": "max_repetitions",
    "maximum_temperature_celsius": "max_temperature_celsius",
    "maximum_others_share": "max_others_share",
}
"""Keys of plans for Ciphermark 0.1 → their present names."""

ChunkKind = Literal["random", "audio", "video", "text"]

Glob = Annotated[str, StringConstraints(pattern=r"^[a-z0-9*?\[\]!_-]+$", min_length=1, max_length=64)]
"""A shell-style pattern over ids: ``aes-192-*``. ``noop`` is matched by its full name alone."""


def _chunk_size(size_bytes: int) -> int:
    if not 1 <= size_bytes <= GIB:
        raise ValueError(f"a chunk has {size_bytes} bytes; expected 1 byte to 1 GiB")
    return size_bytes


ChunkSize = Annotated[int, BeforeValidator(parse_size_bytes), AfterValidator(_chunk_size)]


class Inputs(Message):
    """The chunks of a matrix: every kind in every length."""

    kinds: list[ChunkKind] = Field(default=["random", "audio", "video", "text"], min_length=1, max_length=4)
    sizes: list[ChunkSize] = Field(min_length=1, max_length=1000)


def _message_size(size_bytes: int) -> int:
    if not 0 <= size_bytes <= GIB:
        raise ValueError(f"a message has {size_bytes} bytes; expected 0 bytes to 1 GiB")
    return size_bytes


MessageSize = Annotated[int, BeforeValidator(parse_size_bytes), AfterValidator(_message_size)]


class Messages(Message):
    """What the latency protocol times: every length with every length of associated data."""

    lengths: list[MessageSize] = Field(min_length=1, max_length=1000)
    associated_data_lengths: list[MessageSize] = Field(default=[0], min_length=1, max_length=100)
    """Only AEADs take associated data; with other algorithms the lengths above 0 are left out."""
    fill: Fill = "counter"
    key: KeyFill = "counter"
    """Also of the nonce."""
    operations: list[LatencyOperation] = Field(default=["encrypt", "decrypt"], min_length=1, max_length=3)
    """``key-setup`` is one case, whatever the lengths."""
    key_setup: list[KeySetup] = Field(default=["apart"], min_length=1, max_length=2)
    """``included`` sets the key in each call, as a device does that gets one message."""
    timings: int = Field(default=10, ge=1, le=1000)
    """Of one execution."""
    min_timing_ms: float = Field(default=10.0, ge=0.1, le=10_000)


class Matrix(Message):
    """One block of combinations: providers × algorithms × variants × inputs (or messages)."""

    providers: list[Glob] = Field(min_length=1, max_length=100)
    algorithms: list[Glob] = Field(min_length=1, max_length=1000)
    variants: list[Glob] = Field(default=["default"], min_length=1, max_length=100)
    """``default`` is each algorithm's default variant on that agent; ``*`` all that its processor can execute."""
    protocol: Literal["process", "latency"] = "process"
    inputs: Inputs | None = None
    messages: Messages | None = None
    copies: int = Field(default=1, ge=1, le=1000)
    """How often each case stands in the run. Copies are the same against itself: a difference between them is false,
    and how often one is found says what the other differences are worth."""

    @model_validator(mode="after")
    def _what_its_protocol_takes(self) -> "Matrix":
        wanted, other = ("inputs", "messages") if self.protocol == "process" else ("messages", "inputs")
        if getattr(self, wanted) is None or getattr(self, other) is not None:
            raise ValueError(f"the protocol {self.protocol} requires {wanted} and does not accept {other}")
        return self


def _as_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


class ToolchainAxes(Message):
    """Toolchains: every combination of what the keys name; each key takes one value or a list."""

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
        combinations = product(*(getattr(self, name) for name in names))
        found = (Toolchain.model_validate(dict(zip(names, values, strict=True))) for values in combinations)
        return list(dict.fromkeys(found))


class Precision(Message):
    """Stop a case when it is sure enough. Only the width of its own interval is looked at, never a comparison: stopping
    at the first difference would find differences that are none."""

    relative_interval: float = Field(ge=0.0001, le=0.5)
    """Half the width of the 95 % interval of the case's median, as a share of the median: 0.01 is ± 1 %. Of
    ``work_wall_ns``, under the latency protocol of ``call_wall_ns``."""
    max_repetitions: int = Field(ge=1, le=100_000)
    """The minimum is the plan's ``repetitions``."""
    seconds_per_case: float = Field(default=60.0, gt=0, le=86_400)
    """A case that has taken this long stops, and says what it reached."""


class Energy(Message):
    """Windows of repeated executions of one case, in which energy is measured: most meters are slower than one."""

    window_seconds: float = Field(default=5.0, ge=0.1, le=600)
    windows: int = Field(default=3, ge=1, le=1000)
    """Of each case."""


class Conditions(Message):
    """What the daemon waits for before each execution, and how long at most; then it goes on and marks it."""

    max_temperature_celsius: float | None = Field(default=None, gt=0, le=150)
    max_others_share: float | None = Field(default=None, gt=0, le=1)
    """CPU time of others on the measured core, as a share of the time since the execution before."""
    wait_seconds: float = Field(default=10.0, ge=0, le=3600)


MAX_TOOLCHAINS = 64
"""Of one plan: each is a build of a minute or more on every agent."""


class Plan(Message):
    """What to measure, how often, on which agents, within which limits."""

    version: Literal[1]
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)
    description: str = Field(default="", max_length=4000)
    repetitions: int = Field(ge=1, le=100_000)
    precision: Precision | None = None
    """Repeat each case until it is precise enough; ``repetitions`` are then the minimum."""
    warm_up: int = Field(default=0, ge=0, le=1000)
    """Executions of each case before the first block: stored with their purpose, never counted."""
    memory: Literal["with-timing", "apart"] = "with-timing"
    """``apart``: timed executions are not sampled at all, and memory gets executions of its own."""
    memory_repetitions: int = Field(default=3, ge=1, le=1000)
    """Of each case where memory is measured apart."""
    energy: Energy | None = None
    conditions: Conditions = Conditions()
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    """Decides the order of the executions; drawn and stored at submission where the plan names none."""
    agents: list[Annotated[str, StringConstraints(min_length=1, max_length=80)]] = Field(
        default=["*"], min_length=1, max_length=1000
    )
    """Ids or names of agents, or globs over names."""
    architectures: list[Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=16)]] = Field(
        default=[], max_length=16
    )
    """Machine names as the kernel prints them (x86_64, aarch64, armv7l); empty means any."""
    timeout_seconds: float = Field(default=60.0, gt=0, le=86_400)
    """Of one execution; the launcher ends the runner after it."""
    output_limit_bytes: int = Field(default=1_048_576, ge=1024, le=67_108_864)
    """Of one execution's standard output, and as much of its standard error."""
    priority: int = Field(default=5, ge=0, le=9)
    """0 goes first."""
    toolchains: list[ToolchainAxes] = Field(default=[], max_length=MAX_TOOLCHAINS)
    """Every case is executed with each of them; empty: with the build that each agent made at its start."""
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
        # The default passes: a plan as the service shows it names every key.
        if info.data.get("memory") == "with-timing" and repetitions != cls.model_fields["memory_repetitions"].default:
            raise ValueError("memory is with-timing; memory_repetitions requires memory: apart")
        return repetitions

    @model_validator(mode="after")
    def _not_too_many_toolchains(self) -> "Plan":
        count = sum(prod(len(getattr(axes, name)) for name in ToolchainAxes.model_fields) for axes in self.toolchains)
        if count > MAX_TOOLCHAINS:
            raise ValueError(f"the plan has {count} toolchains; at most {MAX_TOOLCHAINS} are allowed")
        return self

    def all_toolchains(self) -> list[Toolchain]:
        """Return every toolchain that the plan names, each once."""
        return list(dict.fromkeys(toolchain for axes in self.toolchains for toolchain in axes.expand()))
