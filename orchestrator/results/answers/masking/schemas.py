"""API schemas of the overhead of masking. Units are in the names; null means absent, with the reason of the row."""

from typing import Literal

from orchestrator.compilation.evidence.forms import FormEvidence
from orchestrator.results.schemas import AgentFields, CandidateFields, Interval, PlaceFields
from orchestrator.shared.values.models import LazyModel
from orchestrator.wire.messages import OperationName

OrderOf = Literal["overhead", "relative"]
"""overhead: masked / unmasked of the same cipher; relative: masked / unmasked ChaCha20-Poly1305."""


class MaskingTerm(LazyModel):
    """One timed call of the weighted sum."""

    operation: OperationName
    length_bytes: int
    weight: float


class MaskingTime(LazyModel):
    """Time of one call of a row, in the order of the terms."""

    operation: OperationName
    length_bytes: int
    call_wall_ns: float | None
    """Median over executions."""
    interval: Interval | None
    unmasked_call_wall_ns: float | None
    """Median of the same call of the unmasked baseline."""
    random_bytes: int | None = None
    """Random bytes that masking consumes in the call; null for an unmasked row, as the next two."""
    random_wall_ns: float | None = None
    """Time in which the generator alone draws them."""
    generator_share: float | None = None
    """random_wall_ns / call_wall_ns."""


class MaskingRow(CandidateFields, PlaceFields):
    """One candidate: a masked variant in one form, or an unmasked cipher that is protected by its design.

    It is ranked by its overhead.
    """

    relative_rank: int | None = None
    """Rank of relative_time, as the next three."""
    relative_last_rank: int | None = None
    relative_groups: list[str] = []
    relative_undecided: bool = False
    other_variants: list[str]
    """Other masked variants of the cipher in the run, which are slower or lack a call."""
    blocks: int
    """Blocks in which the masked and the unmasked variant have every call."""
    overhead: float | None
    """Weighted sum of times / that of the unmasked variant, paired by block."""
    overhead_interval: Interval | None
    """95 %; null below 6 blocks."""
    unmasked_variant: str | None
    """Unmasked variant of the same provider and build that the row is compared with: the fastest of the run."""
    chacha_units: float | None
    """Speed of the unmasked variant / speed of ChaCha20-Poly1305: higher is faster."""
    chacha_units_interval: Interval | None
    relative_time: float | None
    """overhead / chacha_units, which is the weighted sum of times / that of ChaCha20-Poly1305."""
    relative_interval: Interval | None
    times: list[MaskingTime]
    evidence: FormEvidence | None
    """What was examined of the masking; null for an unmasked row, and without evidence_reason."""
    evidence_reason: str
    """Why a masked row has no evidence."""
    reason: str
    """Why figures are null."""


class MaskingTable(AgentFields):
    """Rows of one agent with one generator."""

    generator: str
    secure: bool | None
    """Whether the generator is secure, as the runner lists it; null if the listing is not known."""
    chacha_variant: str | None
    """Fastest variant of ChaCha20-Poly1305 in the run, the unit; null if the run has none."""
    rows: list[MaskingRow]
    """By overhead; rows without one last."""
    sentence: str


class MaskingMove(LazyModel):
    """Ranks of one row in two tables; tied rows have the mean of their places."""

    algorithm: str
    masking: str | None
    first_rank: float
    second_rank: float


class MaskingOrder(LazyModel):
    """Difference in the order of rows between two tables: two generators on one agent, or two agents."""

    of: OrderOf
    first_agent: str
    first_generator: str
    second_agent: str
    second_generator: str
    rows: int
    """Rows that both tables rank."""
    kendall_tau: float | None
    """Tau-b: 1 is the same order, -1 the reverse; null if a table has one rank only."""
    spearman_rho: float | None
    moves: list[MaskingMove]
    """Rows with the largest difference of ranks."""
    sentence: str


class MaskingAnswer(LazyModel):
    """Overhead of masking in a run, for one number of shares."""

    run_id: str
    shares: int | None
    """Number of shares of the tables; null if the run has no masked cases."""
    available_shares: list[int]
    generators: list[str]
    terms: list[MaskingTerm]
    """The weighted sum."""
    comparisons: int
    """Comparisons that were corrected together (Holm), over all tables."""
    tables: list[MaskingTable]
    orders: list[MaskingOrder]
    evidence_statement: str
    """What the evidence of the rows is, and what it is not."""
