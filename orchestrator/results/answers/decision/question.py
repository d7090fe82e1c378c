"""The question of an answer: measures, constraints, inputs, algorithms, number of rows."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from orchestrator.results.answers.decision.constraints import NO_CONSTRAINTS, Constraints
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Candidates, Input
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.shared.values.parameters import WholeNumber
from orchestrator.wire.messages import KeySetup, OperationName

DisturbedQuery = Annotated[Literal["include", "exclude"], Field(description="Whether disturbed executions count.")]


@dataclass(frozen=True)
class Question:
    """Selection of an answer, as the query of the API has it."""

    measure: Annotated[
        RankingMeasure | None,
        Field(description="Default: encrypt for a run with chunks, else call, also for an operation but encrypt."),
    ] = None
    against: Annotated[
        RankingMeasure | None, Field(description="Second measure, for a Pareto front. Default: no front.")
    ] = None
    constraints: Constraints = NO_CONSTRAINTS
    algorithms: frozenset[str] = frozenset()
    """Only candidates of these; empty: all."""
    length_bytes: Annotated[
        WholeNumber | None, Field(ge=0, le=2**30, description="Only chunks or messages of this length.")
    ] = None
    operation: Annotated[
        OperationName | None,
        Field(description="Only calls of this kind, and the stack that they need. Default: encrypt, the stack of all."),
    ] = None
    key_setup: Annotated[
        KeySetup | None,
        Field(description="Only calls whose key is set so. Default: apart, for a run that timed both."),
    ] = None
    lengths: Annotated[
        Literal["one", "all"],
        Field(
            description="Whether inputs of all lengths are ranked together. Default without length_bytes: the length "
            "above 0 that most candidates have, of several the shortest."
        ),
    ] = "one"
    rows: Annotated[WholeNumber, Field(ge=1, le=500)] = 20
    """Maximum per agent."""
    disturbed: DisturbedQuery = "include"

    @property
    def with_disturbed(self) -> bool:
        """False excludes disturbed executions."""
        return self.disturbed == "include"

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
        return self.operation

    def narrowed(self, inputs: Iterable[Input]) -> "Question":
        """Return the question about one operation, one way of setting the key and one length of these inputs.

        Encryption is the default, a key that is set apart, and the length above 0 that most candidates have, of
        several the shortest. A key setup and a message, or a short and a long one, have no useful median in common.
        """
        counts = Counter((one.operation, one.key_setup, one.length_bytes) for one in inputs)
        if not counts:
            return self
        operations = {operation for operation, *_ in counts}
        operation = next((one for one in (self.operation, "encrypt") if one in operations), min(operations))
        key_setup = self.key_setup
        if key_setup is None and {"apart", "included"} <= {setup for name, setup, _ in counts if name == operation}:
            key_setup = "apart"
        of_operation = Counter[int]()
        for (name, setup, length), count in counts.items():
            if name == operation and key_setup in (None, setup):
                of_operation[length] += count
        length_bytes = self.length_bytes
        if length_bytes is None and self.lengths == "one" and of_operation:
            length_bytes = min(of_operation, key=lambda length: (length == 0, -of_operation[length], length))
        narrower = {"key_setup": key_setup, "length_bytes": length_bytes, "default_operation": operation or None}
        return _Narrowed(**{**vars(self), **narrower})


@dataclass(frozen=True)
class _Narrowed(Question):
    """A question about one kind of calls, by default with the stack of all."""

    default_operation: str | None = None

    @property
    def ranked_operation(self) -> str | None:
        """Kind of the calls that are ranked; None: all."""
        return self.operation or self.default_operation
