"""API schemas of start-up and cost per byte. Names carry units."""

from orchestrator.results.schemas import CandidateFields, Interval, Measure
from orchestrator.shared.values.models import LazyModel


class ScalingPoint(LazyModel):
    """One input length: the measured time and the line's time."""

    length_bytes: int
    time_ns: float
    """Geometric mean over blocks and inputs of this length; outliers are winsorized."""
    line_ns: float
    miss: float | None
    """Measured / line - 1: 0.1 is 10 % above the line; null if the line is not above 0."""


class ScalingStep(LazyModel):
    """Cost per byte between two successive lengths."""

    from_bytes: int
    to_bytes: int
    per_byte_ns: float
    interval: Interval | None


class ScalingRow(CandidateFields):
    """T(n) = a + b·n of one candidate; values are null without a line, with the reason."""

    agent_id: str
    agent_name: str
    operation: str
    """Operation of a call: encrypt or decrypt. Empty under the process protocol, as key_setup."""
    key_setup: str
    associated_data_bytes: int
    kinds: list[str]
    """Kinds of chunks that every length has."""
    blocks: int = 0
    start_up_ns: float | None = None
    """a: time of an empty input."""
    start_up_interval: Interval | None = None
    """95 % interval of a; null below 6 blocks, as that of b."""
    per_byte_ns: float | None = None
    """b: time per additional byte; null if the line does not fit, as the next two."""
    per_byte_interval: Interval | None = None
    per_byte_bytes_per_second: float | None = None
    """1 / b: throughput without start-up; null if b is not distinguishable from 0."""
    step_lowest_ns: float | None = None
    """Lowest and highest cost per byte between two successive lengths."""
    step_highest_ns: float | None = None
    lack_of_fit_p: float | None
    """p-value of the line (lack of fit), Holm-corrected over all candidates; null below 2 blocks."""
    fits: bool | None = None
    """False if the lack of fit is significant and above the noise floor."""
    largest_miss: float | None = None
    worst_length_bytes: int | None = None
    points: list[ScalingPoint] = []
    steps: list[ScalingStep] = []
    sentence: str = ""
    reason: str = ""
    """Why there is no line."""


class ScalingAnswer(LazyModel):
    """Start-up and cost per byte of every candidate of a run."""

    run_id: str
    measure: Measure
    rows: list[ScalingRow]
