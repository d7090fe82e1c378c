"""The question of an answer: measures, constraints, inputs, algorithms, number of rows."""

from dataclasses import dataclass

from orchestrator.results.answers.decision.constraints import NO_CONSTRAINTS, Constraints
from orchestrator.results.answers.readings import Candidate, Input
from orchestrator.results.schemas import RankingMeasure
from orchestrator.wire.messages import LatencyOperation

MAX_ALGORITHMS = 50
"""Algorithms that one answer may be restricted to."""


@dataclass(frozen=True)
class Question:
    """Selection of an answer: measures, constraints, inputs, number of rows."""

    measure: RankingMeasure | None = None  # None: the first measure of the run
    length_bytes: int | None = None  # only chunks or messages of this length; None: all
    operation: LatencyOperation | None = None  # only calls of this kind; None: all
    rows: int = 20  # maximum per agent
    with_disturbed: bool = True  # False excludes disturbed executions
    against: RankingMeasure | None = None  # second measure of a Pareto front; None: no front
    constraints: Constraints = NO_CONSTRAINTS
    algorithms: frozenset[str] = frozenset()  # only these; empty: all

    def selects(self, candidate: Candidate) -> bool:
        """Return whether a candidate is one that the question is about."""
        return not self.algorithms or candidate.algorithm in self.algorithms

    def includes(self, given: Input) -> bool:
        """Return whether an input is included."""
        return self.length_bytes in (None, given.length_bytes) and (
            given.operation == "" or self.operation in (None, given.operation)
        )
