"""Responses of the build endpoints."""

from datetime import datetime
from typing import Literal

from pydantic import computed_field

from orchestrator.shared.values import constant_time
from orchestrator.shared.values.models import LazyModel
from orchestrator.wire.builds import Challenge, CrossBuilt, RunnerBinary, Toolchain
from orchestrator.wire.messages import KEY_SETUP


class BuildReference(LazyModel):
    """A build without what its runners list."""

    id: int
    agent_id: str
    build_key: str
    toolchain_words: str
    """Label for users: ``gcc 12 -O3 static``."""
    compiler_version: str
    """Empty if nothing was built."""
    cross_built: CrossBuilt | None
    """Origin of programs that were compiled for the agent on another machine; null for those of its own compiler."""
    is_default: bool
    """True for the build that plans without a toolchain use; the daemon makes it at its start."""
    failure: str | None
    """Reason of a failure: the missing program, or the last lines of the compiler; null for a build that succeeded."""


class BuildSummary(BuildReference):
    """Runners made by one toolchain for one agent."""

    source_sha256: str | None
    toolchain: Toolchain
    prebuilt: bool
    """True for programs of unknown origin, from a folder on the device."""
    build_wall_ns: int | None
    current: bool
    """True for the newest build of its toolchain on this agent, which new runs use."""
    providers: dict[str, str]
    """Providers with the versions of their code."""
    missing_providers: dict[str, str]
    """Providers that were not built, with reasons."""
    proofs_passed: int
    proofs_failed: int
    reported_at: datetime


class BuildDetail(BuildSummary):
    """Build with its programs and their listings."""

    runners: dict[str, RunnerBinary]
    compile_commands: dict[str, str]
    """Command lines that compiled or linked each target (``ciphers``, ``own`` …)."""


class OfImplementation(LazyModel):
    """Something about one implementation of a build."""

    provider: str
    algorithm: str
    variant: str


class ProofSummary(OfImplementation):
    """Result of the known-answer tests of one implementation on one build."""

    passed: bool
    output_sha256: str | None
    detail: str
    relative_times: dict[str, float] | None
    """Length of a message in bytes → its time divided by that of the runner's own choice; null: not calibrated."""
    fastest_at: list[int] | None
    """Of these lengths, those for which it is the default variant."""
    proved_at: datetime


class FootprintFigures(LazyModel):
    """Static memory footprint of an implementation in a build; values are null with a reason."""

    target: str = ""
    """Processor that it was compiled for; empty: the one that the build is for."""
    code_bytes: int | None
    """.text and .rodata of a program with this implementation alone, less those of an empty program."""
    constant_bytes: int | None = None
    """Of `code_bytes`, the .rodata; null where only the sum is known."""
    static_ram_bytes: int | None
    """.data and .bss of the same program, less those of an empty program."""
    context_bytes: int | None
    """Size of the context that the caller stores for a key."""
    stack_bytes: dict[str, int] | None
    """Deepest stack of each operation by its name."""
    reason: str

    def max_stack_bytes(self, operation: str | None = None, *, with_key_setup: bool = True) -> int | None:
        """Return the deepest stack of all operations, or of one and the key setup before it; None if unknown."""
        used = self.stack_bytes or {}
        if operation is None:
            return max(used.values(), default=None)
        before = used.get(KEY_SETUP, 0) if with_key_setup else 0
        return max(used[operation], before) if operation in used else None


class FootprintSummary(OfImplementation, FootprintFigures):
    """Memory footprint of one implementation of a build."""


class ConstantTimeFigures(LazyModel):
    """Claim of an implementation's code about constant time, and what its agent found on the build."""

    claimed: bool | None
    """Whether the code claims that no branch and no table look-up depends on a secret; null: no claim."""
    errors: int | None
    """Branches and addresses that depended on a secret under valgrind: a lower bound. Null: not checked."""
    max_message_bytes: int | None
    """Longest message of the check."""
    hidden_features: list[str]
    """Features of the processor that a library could not use under valgrind."""
    reason: str
    """Why `errors` is null."""
    t: float | None
    """Welch's t of times with fixed and with random inputs: above 10 they depend on data, above 4.5 they may."""
    timed_calls: int | None
    timing_reason: str
    """Why `t` is null."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def label(self) -> str:
        """Claim and check in a few words: ``yes, checked``; with ``timing depends on data`` where |t| is above 10."""
        found = constant_time.label(self.claimed, self.errors, self.hidden_features)
        return constant_time.with_indication(found, self.t)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def explanation(self) -> str:
        """Meaning of the check's result and of the timing test."""
        found = constant_time.explanation(self.errors, self.max_message_bytes, self.hidden_features, self.reason)
        return f"{found} {constant_time.timing_label(self.t, self.timed_calls, self.timing_reason)}"


NOT_CHECKED = ConstantTimeFigures(
    claimed=None, errors=None, max_message_bytes=None, hidden_features=[], t=None, timed_calls=None,
    reason="its agent has not reported a check", timing_reason="its agent has not reported one",
)  # fmt: skip


class ConstantTimeSummary(OfImplementation, ConstantTimeFigures):
    """Constant time of one implementation of a build."""


BuildRequestState = Literal["open", "ready", "failed"]


class BuildRequestSummary(LazyModel):
    """Request of runs for a build of a toolchain on an agent, with its state."""

    id: int
    agent_id: str
    toolchain: Toolchain
    toolchain_words: str
    state: BuildRequestState
    """open until the daemon reports the outcome; a later submission opens a failed request again."""
    build_id: int | None
    """Build of the latest outcome, or the row that stores its failure; null before the first outcome."""
    build_key: str | None
    failure: str | None
    """Reason of the latest failure: the missing program, or the last lines of the compiler."""
    requested_at: datetime
    settled_at: datetime | None


class BuildCreated(LazyModel):
    """Stored build; it can have been stored before."""

    id: int
    build_key: str


class ProofsCreated(LazyModel):
    """Number of stored proofs, and challenges; a later proof of the same implementation replaces the earlier one."""

    stored: int
    challenges: list[Challenge] = []
    """Messages that the agent encrypts, within ten minutes; a wrong or missing answer fails the proof."""


class ChallengeAnswersCreated(LazyModel):
    """Number of challenges that were answered now, by their result."""

    passed: int
    failed: int


class ResultsCreated(LazyModel):
    """Number of stored results; a later one of the same implementation replaces the earlier one."""

    stored: int


class CalibrationCreated(LazyModel):
    """Stored calibration."""

    id: int
