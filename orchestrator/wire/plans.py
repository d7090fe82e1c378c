"""A plan: the document that says what to measure. Written in YAML or JSON by a person, stored as submitted."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from orchestrator.units import GIB, parse_size_bytes
from orchestrator.wire.base import Message

PLAN_VERSION = 1
"""History: 1, the first (2026-11)."""

ChunkKind = Literal["random", "audio", "video", "text"]

Glob = Annotated[str, StringConstraints(pattern=r"^[a-z0-9*?\[\]!_-]+$", min_length=1, max_length=64)]
"""A shell-style pattern over ids: ``aes-192-*``. ``noop`` is matched by its full name alone."""


def _chunk_size(size_bytes: int) -> int:
    if not 1 <= size_bytes <= GIB:
        raise ValueError(f"a chunk has 1 byte to 1 GiB, seen {size_bytes} bytes")
    return size_bytes


ChunkSize = Annotated[int, BeforeValidator(parse_size_bytes), AfterValidator(_chunk_size)]


class Inputs(Message):
    """The chunks of a matrix: every kind in every length."""

    kinds: list[ChunkKind] = Field(default=["random", "audio", "video", "text"], min_length=1, max_length=4)
    sizes: list[ChunkSize] = Field(min_length=1, max_length=1000)


class Matrix(Message):
    """One block of combinations: providers × algorithms × variants × kinds × lengths."""

    providers: list[Glob] = Field(min_length=1, max_length=100)
    algorithms: list[Glob] = Field(min_length=1, max_length=1000)
    variants: list[Glob] = Field(default=["default"], min_length=1, max_length=100)
    """``default`` is each algorithm's default variant on that agent; ``*`` all that its processor can execute."""
    protocol: Literal["process"] = "process"
    inputs: Inputs


class Plan(Message):
    """What to measure, how often, on which agents, within which limits."""

    version: Literal[1]
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)
    description: str = Field(default="", max_length=4000)
    repetitions: int = Field(ge=1, le=100_000)
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
    matrix: list[Matrix] = Field(min_length=1, max_length=100)
