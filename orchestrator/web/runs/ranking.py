"""The query of a ranking on the pages: measure, second measure and constraints, as the form sends them."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

from orchestrator.builds.repository import targets_of_run
from orchestrator.database.engine import ReadSession
from orchestrator.results.answers.decision.constraints import Constraints
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.cases import service as cases
from orchestrator.results.cases.schemas import CaseChoices
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import MAX_ALGORITHMS
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import parse_size_bytes
from orchestrator.shared.values.parameters import SearchText
from orchestrator.shared.values.text import worded
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.routing import Choice
from orchestrator.wire.builds import TargetName
from orchestrator.wire.messages import KeySetup, OperationName

_BITS = worded(r"^[0-9]{0,4}$", "a number of at most four digits, or nothing")
Bits = Annotated[str, Query(pattern=_BITS)]
Names = Annotated[SearchText, Query(max_length=MAX_ALGORITHMS * 20)]
Tick = Annotated[Literal["", "yes"], Query()]
ALL = "all"
"""Text of the field for the length that ranks inputs of all lengths together."""
SIZES = {
    "max_code": ("max_code_bytes", "Code size at most"), "max_ram": ("max_static_ram_bytes", "Static RAM at most"),
    "max_stack": ("max_stack_bytes", "Stack at most"), "max_context": ("max_context_bytes", "Context at most"),
}  # fmt: skip
"""Field of the form → limit of the constraints, and its label."""
BITS = {"min_tag": ("min_tag_bits", "Tag bits at least"), "min_key": ("min_key_bits", "Key bits at least")}


@dataclass(frozen=True)
class RankingForm:
    """Fields of the form of a ranking, as the user wrote them; empty for no requirement."""

    rank: Choice = ""
    """The measure."""
    against: Choice = ""
    call: Literal[""] | OperationName = ""
    setup: Literal[""] | KeySetup = ""
    only_length: Annotated[str, Query(max_length=20)] = ""
    ranked: Names = ""
    """Algorithms, separated by spaces or commas."""
    aead: Tick = ""
    constant_time: Tick = ""
    defaults: Tick = ""
    target: TargetName = ""
    max_code: Choice = ""
    max_ram: Choice = ""
    max_stack: Choice = ""
    max_context: Choice = ""
    min_tag: Bits = ""
    min_key: Bits = ""

    def constraints(self) -> Constraints:
        """Return the required properties; raises InvalidRequest."""
        limits = {limit: size_in_form(name, getattr(self, name)) for name, (limit, _) in SIZES.items()}
        texts = {limit: getattr(self, name) for name, (limit, _) in BITS.items()}
        required = {limit: int(text) if text else None for limit, text in texts.items()}
        return Constraints(
            bool(self.aead), bool(self.constant_time), bool(self.defaults), self.target, **limits, **required
        )


@dataclass(frozen=True)
class RankingQuery:
    """Query of a ranking."""

    question: Question
    values: dict[str, str]
    """Texts of the form's fields that are not empty, in the order of the form."""
    sizes: ClassVar = {name: label for name, (_, label) in SIZES.items()}
    """Labels of the fields with sizes, as those with bits."""
    bits: ClassVar = {name: label for name, (_, label) in BITS.items()}

    @property
    def narrowed(self) -> bool:
        """True where the query differs from the run's default ranking."""
        return bool(self.values)

    def address(self, measure: str) -> str:
        """Return the query string of the answer's page; measure: used unless the query names one."""
        return urlencode({"measure": self.question.measure or measure, **self.values})


def ranking_query(form: Annotated[RankingForm, Depends()]) -> RankingQuery:
    """Return the query of a request for a ranking; raises InvalidRequest."""
    every = form.only_length.strip() == ALL
    question = Question(
        measure=parse_ranking_measure(form.rank, "rank"),
        against=parse_ranking_measure(form.against, "against"),
        constraints=form.constraints(),
        algorithms=_algorithms(form.ranked),
        length_bytes=None if every else size_in_form("only_length", form.only_length),
        operation=form.call or None,
        key_setup=form.setup or None,
        lengths="all" if every else "one",
    )
    return RankingQuery(question, {name: text for name, text in vars(form).items() if text.strip()})


def question_bar(session: ReadSession, run_id: str, ranking: RankingQuery, choices: CaseChoices) -> dict[str, Any]:
    """Return what the form of a ranking needs besides its page; choices: of the run, for the ranked protocol."""
    operations = choices.operations
    if "latency" in choices.protocols and choices.protocol != "latency":
        operations = cases.get_choices(session, run_id, "latency").operations
    return {
        "ranking": ranking,
        "measures": MEASURES,
        "operations": operations,
        "protocols": choices.protocols,
        "lengths": choices.lengths_bytes,
        "targets": targets_of_run(session, run_id),
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


def size_in_form(field: str, text: str, examples: str = "512, 512 B or 8 KiB") -> int | None:
    """Return the size that the field of a form has, None for an empty one; raises InvalidRequest."""
    if not text.strip():
        return None
    try:
        return parse_size_bytes(text)
    except ValueError as error:
        raise InvalidRequest(f"{error}.", remedy=f"Write {examples}.", field=field) from None
