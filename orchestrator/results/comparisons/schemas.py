"""API schemas of comparisons of runs."""

from datetime import datetime
from typing import Literal

from orchestrator.results.measures import RankingMeasure
from orchestrator.results.schemas import CaseFields, Interval
from orchestrator.shared.values.models import LazyModel

MIN_SIDES, MAX_SIDES = 2, 8
Method = Literal["same results", "paired", "unpaired", "imported"]
"""same results: both sides are the same case; paired: within the blocks of one run and agent (Hodges and Lehmann);
unpaired: two samples without common blocks (Yuen); imported: like unpaired where the import has readings, otherwise the
ratio of two figures, and without a verdict in both cases."""
Property = Literal["agent", "toolchain", "library", "provider", "language", "variant"]
"""What a side may be narrowed to."""
ComparisonVerdict = Literal["better", "worse", "tie", "undecided"]


class SideFields(LazyModel):
    """A run, a part of its cases, or an imported series."""

    label: str
    """As requested: ``4f1c…``, ``4f1c…,toolchain=gcc -O3`` or ``import:4f1c…/1``."""
    run_id: str
    """Id of the run; of an imported series that of its import, as name and time."""
    run_name: str
    submitted_at: datetime
    cases: int
    """Cases with a verified result, in a comparison with a reading of its measure."""
    imported: bool = False
    """Ciphermark measured nothing of it and verified nothing."""


class ComparisonSide(SideFields):
    """One side of a comparison."""

    title: str
    """What distinguishes it from the other sides: ``packets of 2026-11-23 21:03``, or ``gcc -O3``."""
    agents: list[str]
    toolchains: list[str]


class Change(LazyModel):
    """One thing that differs between two sides."""

    topic: str
    """Group: plan, corpus, compiler, libraries, kernel, governor … in the order of their relevance."""
    subject: str
    before: str | None
    """Value of the first side; null if it has none."""
    after: str | None


class ComparisonRow(CaseFields):
    """One case that both sides have."""

    agent_name: str
    other_agent_name: str
    other_provider: str
    other_variant: str
    other_toolchain: str
    value: float
    """Median of the first side, in the unit of the measure."""
    other_value: float
    ratio: float
    """Value of the other side / value of the first side: below 1 is faster or smaller, except for throughputs."""
    interval: Interval | None = None
    """95 % interval of the ratio, for this case alone; null below 6 readings."""
    n: int
    """Readings of the first side; of paired cases the common blocks, as the next."""
    other_n: int | None
    """Null: the file of an import does not have it."""
    method: Method
    noise_floor: float | None = None
    """Relative difference that counts as a tie: of the agents, for this number of blocks where they are paired."""
    adjusted_p: float | None = None
    """p-value of no difference, Holm-corrected over all cases of the comparison."""
    verdict: ComparisonVerdict
    """Result of the other side. undecided: fewer than 6 readings, or imported."""


class ComparisonPart(LazyModel):
    """The first side and one of the others."""

    other: ComparisonSide
    paired: Literal["yes", "no", "partly"]
    """Whether the cases share blocks."""
    method: str
    """Sentence about the method and what its intervals cover."""
    rows: list[ComparisonRow]
    """Largest significant differences first, then undecided cases, then ties; next to an imported series by name."""
    rows_total: int
    better: int = 0
    worse: int = 0
    ties: int = 0
    undecided: int = 0
    only_first: int = 0
    """Cases that only the first side has."""
    only_other: int = 0
    crossed: list[str] = []
    """What the sides differ in by choice, such as `agent`: cases are matched without it."""
    changes: list[Change] = []
    """What changed, most relevant first."""
    sentence: str = ""


class RunComparison(LazyModel):
    """Comparison of two or more runs, parts of runs or imported series with the first run."""

    measure: RankingMeasure
    unit: str
    measures: list[RankingMeasure]
    """Measures with readings that all sides have."""
    first: ComparisonSide
    parts: list[ComparisonPart]
    comparisons: int
    """Number of cases corrected together (Holm), over all sides."""
