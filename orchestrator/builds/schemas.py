"""Answers of the build endpoints."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from orchestrator.wire.builds import RunnerBinary, Toolchain


class BuildAnswer(BaseModel):
    """The runners that one toolchain made on one agent."""

    id: int
    agent_id: str
    build_key: str
    source_sha256: str | None
    toolchain: Toolchain
    compiler_version: str
    prebuilt: bool
    build_wall_ns: int | None
    current: bool
    """The newest build of this toolchain on this agent: the one that new runs use."""
    providers: dict[str, str]
    """Provider → version of its code."""
    left_out: dict[str, str]
    """Provider → why it was not built."""
    proofs_passed: int
    proofs_failed: int
    reported_at: datetime


class BuildDetail(BuildAnswer):
    """A build with its programs and everything they list."""

    runners: dict[str, RunnerBinary]


class ProofAnswer(BaseModel):
    """The known answers of one implementation on one build."""

    model_config = ConfigDict(from_attributes=True)

    provider: str
    algorithm: str
    variant: str
    passed: bool
    output_sha256: str | None
    detail: str
    proved_at: datetime


class BuildReceipt(BaseModel):
    """The build is stored, now or before."""

    id: int
    build_key: str


class ProofReceipt(BaseModel):
    """The proofs are stored; a later proof of the same implementation replaces the earlier one."""

    stored: int


class CalibrationReceipt(BaseModel):
    """The calibration is stored."""

    id: int
