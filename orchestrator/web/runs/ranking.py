"""The query of a ranking on the pages: measure, second measure and constraints, as the form sends them."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

from orchestrator.builds import service as builds
from orchestrator.database.engine import Database
from orchestrator.results.answers.decision.constraints import Constraints
from orchestrator.results.answers.decision.question import MAX_ALGORITHMS, Question
from orchestrator.results.cases import service as cases
from orchestrator.results.cases.schemas import CaseChoices
from orchestrator.results.measures import MEASURES
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import parse_size_bytes
from orchestrator.shared.values.parameters import SearchText
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.routing import Choice
from orchestrator.wire.builds import TargetName
from orchestrator.wire.messages import KeySetup, OperationName

Bits = Annotated[str, Query(pattern=r"^[0-9]{0,4}$")]
Names = Annotated[SearchText, Query(max_length=MAX_ALGORITHMS * 20)]
Tick = Annotated[Literal["", "yes"], Query()]
ALL = "all"
"""Text of the field for the length that ranks inputs of all lengths together."""
LIMITS = {
    "max_code": "max_code_bytes", "max_ram": "max_static_ram_bytes", "max_stack": "max_stack_bytes",
    "max_context": "max_context_bytes",
}  # fmt: skip
"""Field of the form → limit of the constraints."""


@dataclass(frozen=True)
class RankingQuery:
    """Query of a ranking; texts as the user wrote them, empty for no requirement."""

    question: Question
    values: dict[str, str]
    """Texts of the form's fields that are not empty, in the order of the form."""

    @property
    def narrowed(self) -> bool:
        """True where the query differs from the run's default ranking."""
        return bool(self.values)

    def address(self, measure: str) -> str:
        """Return the query string of the answer's page; measure: used unless the query names one."""
        return urlencode({"measure": self.question.measure or measure, **self.values})


def ranking_query(
    *,
    rank: Choice = "",
    against: Choice = "",
    operation_ranked: Annotated[Literal[""] | OperationName, Query(alias="call")] = "",
    key_setup: Annotated[Literal[""] | KeySetup, Query(alias="setup")] = "",
    length_ranked: Annotated[str, Query(alias="only_length", max_length=20)] = "",
    ranked: Names = "",
    aead: Tick = "",
    constant_time: Tick = "",
    default_variants: Annotated[Tick, Query(alias="defaults")] = "",
    target: TargetName = "",
    max_code: Choice = "",
    max_ram: Choice = "",
    max_stack: Choice = "",
    max_context: Choice = "",
    min_tag: Bits = "",
    min_key: Bits = "",
) -> RankingQuery:
    """Return the query of a request for a ranking; raises InvalidRequest.

    ranked: algorithms, separated by spaces or commas.
    """
    sizes = dict(zip(LIMITS, (max_code, max_ram, max_stack, max_context), strict=True))
    texts = {
        "rank": rank, "against": against, "call": operation_ranked, "setup": key_setup,
        "only_length": length_ranked.strip(),
        "ranked": ranked.strip(), "aead": aead, "constant_time": constant_time,
        "defaults": default_variants, "target": target, **sizes,
        "min_tag": min_tag, "min_key": min_key,
    }  # fmt: skip
    limits = {LIMITS[name]: _size(name, text) for name, text in sizes.items()}
    bits = {f"min_{name}_bits": int(text) if text else None for name, text in (("tag", min_tag), ("key", min_key))}
    every = length_ranked.strip() == ALL
    question = Question(
        parse_ranking_measure(rank, "rank"),
        None if every else _size("only_length", length_ranked),
        operation_ranked or None,
        against=parse_ranking_measure(against, "against"),
        constraints=Constraints(bool(aead), bool(constant_time), bool(default_variants), target, **limits, **bits),
        algorithms=_algorithms(ranked),
        all_lengths=every,
        key_setup=key_setup or None,
    )
    return RankingQuery(question, {name: text for name, text in texts.items() if text})


def question_bar(database: Database, run_id: str, ranking: RankingQuery, choices: CaseChoices) -> dict[str, Any]:
    """Return what the form of a ranking needs besides its page; choices: of the run, for the ranked protocol."""
    operations = choices.operations
    if "latency" in choices.protocols and choices.protocol != "latency":
        operations = cases.get_choices(database, run_id, "latency").operations
    return {
        "ranking": ranking,
        "measures": MEASURES,
        "operations": operations,
        "protocols": choices.protocols,
        "lengths": choices.lengths_bytes,
        "targets": builds.targets_of_run(database, run_id),
    }


RankingQueryDep = Annotated[RankingQuery, Depends(ranking_query)]


def _algorithms(text: str) -> frozenset[str]:
    names = frozenset(text.replace(",", " ").split())
    if len(names) > MAX_ALGORITHMS:
        raise InvalidRequest(
            f"{len(names)} algorithms were named; at most {MAX_ALGORITHMS} are allowed.",
            remedy="Name fewer algorithms.",
            field="ranked",
        )
    return names


def _size(field: str, text: str) -> int | None:
    if not text.strip():
        return None
    try:
        return parse_size_bytes(text)
    except ValueError as error:
        raise InvalidRequest(f"{error}.", remedy="Write 512, 512 B or 8 KiB.", field=field) from None
