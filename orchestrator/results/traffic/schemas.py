"""API schemas of the cost of a traffic. Names carry units."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from orchestrator.results.schemas import (
    MAX_ALGORITHMS,
    AgentFields,
    ExcludedCandidate,
    Interval,
    Measure,
    RankFields,
    TimedCandidateFields,
)
from orchestrator.shared.values.models import LazyModel
from orchestrator.statistics.mixtures.changes import Kind
from orchestrator.statistics.mixtures.histograms import MAX_LENGTH_BYTES, MAX_LENGTHS
from orchestrator.wire.base import AlgorithmId, Message
from orchestrator.wire.messages import KeySetup

Direction = Literal["encrypt", "decrypt", "both"]
Number = Annotated[float, Field(ge=0, le=1e15)]
_EXAMPLE: JsonDict = {"lengths_bytes": [24, 1500], "counts": [900, 100], "key_changes": 10, "operation": "both"}


class HistogramRequest(Message):
    """Text of a file with message lengths: CSV, or pairs of lengths and counts."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "length_bytes,count\n24,900\n1500,100\n"}]})

    content: str = Field(description="A column `length_bytes` and perhaps `count`, or a line per packet.")


class Histogram(LazyModel):
    """Number of messages of each length."""

    text: str
    """``24:900, 1500:100``, as forms and the command line take it."""
    lengths_bytes: list[int]
    """Ascending."""
    counts: list[float]


class TrafficRequest(Message):
    """The traffic of an application: how many messages of which lengths, and how often the key changes."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    lengths_bytes: list[Annotated[int, Field(ge=0, le=MAX_LENGTH_BYTES)]] = Field(
        min_length=1, max_length=MAX_LENGTHS, description="Lengths of the messages, all different."
    )
    counts: list[Number] = Field(
        min_length=1,
        max_length=MAX_LENGTHS,
        description="Number, or share in any unit, of the messages of each length.",
    )
    key_changes: Number = Field(default=0, description="Number of key changes in the time of all these messages.")
    operation: Direction = Field(
        default="encrypt", description="What the device does with a message; `both`: it encrypts and decrypts each."
    )
    associated_data_bytes: int | None = Field(
        default=None, ge=0, le=MAX_LENGTH_BYTES, description="Of each message. Default: the shortest measured."
    )
    key_setup: KeySetup | None = Field(
        default=None,
        description="`included`: each message sets the key. Default: apart, or included if the run has no other calls.",
    )
    measure: Measure | None = Field(
        default=None, description="Default: call, or encrypt for a run without calls."
    )  # fmt: skip
    algorithms: list[AlgorithmId] = Field(
        default=[], max_length=MAX_ALGORITHMS, description="Only candidates of these algorithms; empty: all."
    )
    rows: int = Field(default=20, ge=1, le=500, description="Maximum of rows per agent.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.lengths_bytes) != len(self.counts):
            raise ValueError(f"{len(self.lengths_bytes)} lengths need as many counts, got {len(self.counts)}")
        if len(set(self.lengths_bytes)) < len(self.lengths_bytes):
            raise ValueError("a length occurs twice; expected different lengths with one count each")
        if not any(self.counts):
            raise ValueError("all counts are 0; expected at least one message")
        return self


class TrafficRow(TimedCandidateFields, RankFields):
    """Cost of the traffic with one candidate; without a rank if its cost is unknown."""

    cost_ns: float | None = None
    """Cost of a message with its share of the key changes: the median over blocks."""
    interval: Interval | None = None
    """95 % interval of the median, widened by the error of interpolation; null below 6 blocks."""
    interpolation_error: float | None = None
    """Part by which the true cost may be higher, because lengths were interpolated: 0.02 is 2 %; lower by less."""
    measured_share: float = 0.0
    """Share of the messages whose length was measured."""
    measured_bytes: list[int] = []
    """Measured lengths."""
    key_changes_share: float | None = None
    """Share of the key changes in the cost."""
    bytes_per_second: float | None = None
    """Mean length of a message / its cost; null for empty messages."""
    behind: float | None = None
    """Cost / cost of the first, paired by block; null for the first."""
    behind_interval: Interval | None = None
    """95 % interval of this comparison alone, without the error of interpolation."""
    adjusted_p: float | None = None
    """p-value of no difference to the first, Holm-corrected over the answer."""
    blocks: int = 0
    """Blocks with every time that the cost needs."""


class TrafficChange(LazyModel):
    """A change of the traffic after which another candidate is the cheapest."""

    kind: Kind
    length_bytes: int | None
    """Length whose share of the messages changes; null for the other kinds."""
    before: float
    """Share of the length, factor on all lengths (1), or key changes per message."""
    after: float
    """Value at which both cost the same."""
    undecided_from: float
    """Between these two values, the data do not distinguish both candidates."""
    undecided_to: float | None
    """Null if no value within the measured lengths shows that the other one is cheaper."""
    winner: str
    """Candidate that is the cheapest beyond it."""
    sentence: str


class AgentTraffic(AgentFields):
    """Candidates of one agent by the cost of the traffic."""

    comparisons: int
    """Number of comparisons corrected together (Holm), over all agents of the run."""
    sentence: str
    rows: list[TrafficRow]
    """Ranked candidates, the cheapest first, then those of unknown cost."""
    rows_total: int
    changes: list[TrafficChange]
    """The nearest change of each kind, nearest first; empty with a tie in the first place or without a change."""
    excluded: list[ExcludedCandidate]
    """Candidates that do not meet the constraints."""


class TrafficAnswer(LazyModel):
    """The cost of a traffic on each agent of a run."""

    run_id: str
    measure: Measure
    messages: float
    """Sum of the counts."""
    lengths_bytes: list[int]
    """Lengths with messages, ascending."""
    mean_bytes: float
    key_changes_per_message: float
    operation: Direction
    key_setup: KeySetup | None
    """Null for a measure without calls, like the next field."""
    associated_data_bytes: int | None
    algorithms: list[str]
    constraints: list[str]
    agents: list[AgentTraffic]
