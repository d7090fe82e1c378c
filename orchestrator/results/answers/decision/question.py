"""The question of an answer: measures, constraints, inputs, algorithms, number of rows."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from orchestrator.results.answers.decision.constraints import NO_CONSTRAINTS, Constraints
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Candidates, Input
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.wire.messages import KeySetup, OperationName

MAX_ALGORITHMS = 50
"""Algorithms that one answer may be restricted to."""


@dataclass(frozen=True)
class Question:
    """Selection of an answer: measures, constraints, inputs, number of rows."""

    measure: RankingMeasure | None = None  # None: the first measure of the run
    length_bytes: int | None = None  # only chunks or messages of this length; None: one (narrowed)
    operation: OperationName | None = None  # only calls of this kind, and the stack that they need; None: all
    rows: int = 20  # maximum per agent
    with_disturbed: bool = True  # False excludes disturbed executions
    against: RankingMeasure | None = None  # second measure of a Pareto front; None: no front
    constraints: Constraints = NO_CONSTRAINTS
    algorithms: frozenset[str] = frozenset()  # only these; empty: all
    all_lengths: bool = False  # inputs of all lengths together
    key_setup: KeySetup | None = None  # only calls whose key is set so; None: one (narrowed)
    default_operation: str | None = None  # only calls of this kind, with the stack of all (narrowed)

    def is_about_sizes(self, measure: RankingMeasure) -> bool:
        """Return whether sizes of code or memory are limited or ranked; measure: the one that is ranked."""
        required = self.constraints
        limited = bool(required.target) or any(limit is not None for limit in required.sizes().values())
        return limited or any(one and MEASURES[one].source == "footprint" for one in (measure, self.against))

    def selects(self, candidate: Candidate) -> bool:
        """Return whether a candidate is one that the question is about."""
        return not self.algorithms or candidate.algorithm in self.algorithms

    def selected(self, candidates: Mapping[Candidate, CandidateReadings]) -> Candidates:
        """Return the candidates that the question is about."""
        return {one: own for one, own in candidates.items() if self.selects(one)}

    def includes(self, given: Input) -> bool:
        """Return whether an input is included."""
        return self.length_bytes in (None, given.length_bytes) and (
            given.operation == ""
            or (self.ranked_operation in (None, given.operation) and self.key_setup in (None, given.key_setup))
        )

    @property
    def ranked_operation(self) -> str | None:
        """Kind of the calls that are ranked; None: all."""
        return self.operation or self.default_operation

    def narrowed(self, inputs: Iterable[Input]) -> "Question":
        """Return the question about one operation, one way of setting the key and one length of these inputs.

        Encryption is the default, a key that is set apart, and the length that most candidates have, of several the
        shortest. A key setup and a message, or a short and a long one, have no useful median in common.
        """
        counts = Counter((one.operation, one.key_setup, one.length_bytes) for one in inputs)
        if not counts:
            return self
        operations = {operation for operation, *_ in counts}
        operation = self.operation or ("encrypt" if "encrypt" in operations else min(operations))
        key_setup = self.key_setup
        if key_setup is None and {"apart", "included"} <= {setup for name, setup, _ in counts if name == operation}:
            key_setup = "apart"
        of_operation = Counter[int]()
        for (name, setup, length), count in counts.items():
            if name == operation and key_setup in (None, setup):
                of_operation[length] += count
        length_bytes = self.length_bytes
        if length_bytes is None and not self.all_lengths and of_operation:
            length_bytes = min(of_operation, key=lambda length: (-of_operation[length], length))
        return replace(self, default_operation=operation or None, key_setup=key_setup, length_bytes=length_bytes)
