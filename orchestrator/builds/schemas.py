"""Answers of the build endpoints."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from orchestrator.wire.builds import RunnerBinary, Toolchain


class BuildSummary(BaseModel):
    """The runners that one toolchain made on one agent."""

    id: int
    agent_id: str
    build_key: str
    source_sha256: str | None
    toolchain: Toolchain
    toolchain_words: str
    """``gcc 12 -O3 static``: for people."""
    compiler_version: str
    """Empty where nothing was built."""
    prebuilt: bool
    build_wall_ns: int | None
    current: bool
    """The newest build of this toolchain on this agent: the one that new runs use."""
    is_default: bool
    """Made at the daemon's start, for plans that name no toolchain."""
    failure: str | None
    """Why the toolchain made nothing: what was missing, or the compiler's last lines; null for a build."""
    providers: dict[str, str]
    """Provider → version of its code."""
    missing_providers: dict[str, str]
    """Provider → why it was not built."""
    proofs_passed: int
    proofs_failed: int
    reported_at: datetime


class BuildDetail(BuildSummary):
    """A build with its programs and everything they list."""

    runners: dict[str, RunnerBinary]
    compile_commands: dict[str, str]
    """``ciphers``, ``own`` … → the whole command line that compiled or linked it."""


class BuildReference(BaseModel):
    """A build without what its runners list."""

    id: int
    agent_id: str
    build_key: str
    toolchain_words: str
    compiler_version: str
    is_default: bool
    failure: str | None


class ProofSummary(BaseModel):
    """The known answers of one implementation on one build."""

    model_config = ConfigDict(from_attributes=True)

    provider: str
    algorithm: str
    variant: str
    passed: bool
    output_sha256: str | None
    detail: str
    proved_at: datetime


class FootprintSummary(BaseModel):
    """What one implementation of a build takes in memory; null with the reason beside it."""

    model_config = ConfigDict(from_attributes=True)

    provider: str
    algorithm: str
    variant: str
    code_bytes: int | None
    """.text and .rodata of a program with this implementation alone, less those of an empty program."""
    static_ram_bytes: int | None
    """.data and .bss, likewise."""
    context_bytes: int | None
    """What the caller holds for a key."""
    key_setup_stack_bytes: int | None
    encrypt_stack_bytes: int | None
    decrypt_stack_bytes: int | None
    reason: str


BuildRequestState = Literal["open", "ready", "failed"]


class BuildRequestSummary(BaseModel):
    """A toolchain that runs want on an agent, and what became of it."""

    id: int
    agent_id: str
    toolchain: Toolchain
    toolchain_words: str
    state: BuildRequestState
    """open until the daemon has answered; a later submission opens a failed one again."""
    build_id: int | None
    """Of the latest answer: the build, or the row that tells why there is none. Null before the first."""
    build_key: str | None
    failure: str | None
    """Of the latest answer: what was missing, or the compiler's last lines."""
    requested_at: datetime
    settled_at: datetime | None


class BuildCreated(BaseModel):
    """The build is stored, now or before."""

    id: int
    build_key: str


class ProofsCreated(BaseModel):
    """The proofs are stored; a later proof of the same implementation replaces the earlier one."""

    stored: int


class FootprintsCreated(BaseModel):
    """The footprints are stored; a later one of the same implementation replaces the earlier one."""

    stored: int


class CalibrationCreated(BaseModel):
    """The calibration is stored."""

    id: int
