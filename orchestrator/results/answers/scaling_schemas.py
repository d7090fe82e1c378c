"""Answers about start-up and cost per byte. Units are in the names."""

from pydantic import BaseModel, Field

from orchestrator.results.schemas import Interval, Measure


class ScalingPoint(BaseModel):
    """One length of input: what was measured, and what the line says."""

    length_bytes: int
    time_ns: float
    """Geometric mean over blocks and inputs of this length; readings far out count as usual."""
    line_ns: float
    miss: float | None
    """Measured / line - 1: 0.1 is 10 % above the line; null where the line is not above 0."""


class ScalingStep(BaseModel):
    """The cost of a byte between two neighbouring lengths."""

    from_bytes: int
    to_bytes: int
    per_byte_ns: float
    interval: Interval | None


class ScalingRow(BaseModel):
    """T(n) = a + b·n of one candidate; values are null where there is no line, with the reason."""

    agent_id: str
    agent_name: str
    provider: str
    algorithm: str
    variant: str
    copy_number: int = Field(serialization_alias="copy", default=1)
    build_key: str
    toolchain: str
    operation: str
    """Of a call: encrypt or decrypt; empty under the process protocol, as the next one."""
    key_setup: str
    associated_data_bytes: int
    kinds: list[str]
    """Of the chunks; those that every length has."""
    blocks: int
    start_up_ns: float | None
    """a: what an input of no length would take."""
    start_up_interval: Interval | None
    """95 %, of a alone; null below 6 blocks, as that of b."""
    per_byte_ns: float | None
    """b: what one more byte takes; null where the line does not fit, as the next two: no one number is right then."""
    per_byte_interval: Interval | None
    per_byte_bytes_per_second: float | None
    """1 / b: the throughput without the start-up; null where b is not above 0."""
    step_lowest_ns: float | None
    """What one more byte takes between two neighbouring lengths: where it is least, and where it is most."""
    step_highest_ns: float | None
    lack_of_fit_p: float | None
    """Of the hypothesis that a line is right, by Holm over all candidates; null below 2 blocks."""
    fits: bool | None
    """False: the readings miss the line by more than they scatter and by more than the noise floor."""
    largest_miss: float | None
    worst_length_bytes: int | None
    points: list[ScalingPoint]
    steps: list[ScalingStep]
    sentence: str
    reason: str
    """Why there is no line."""


class ScalingAnswer(BaseModel):
    """Start-up and cost per byte of every candidate of a run."""

    run_id: str
    measure: Measure
    rows: list[ScalingRow]
