"""The query of the page that compares runs, as the form and links send it."""

from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Request

from orchestrator.results.comparisons.choices.schemas import ComparedBy
from orchestrator.results.comparisons.sides import MAX_SIDES, SYNTAX
from orchestrator.results.imports.document import IMPORT_PREFIX
from orchestrator.results.measures import RankingMeasure
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.parameters import SearchText
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.routing import Choice

_PART = "part"
"""Prefix of the parameters of the form's lists: part1 narrows the first run, and so on."""
_MAX_LABEL = 300

SidesQuery = Annotated[
    list[Annotated[SearchText, Query(max_length=_MAX_LABEL)]], Query(alias="run", max_length=MAX_SIDES)
]


@dataclass(frozen=True)
class ComparisonQuery:
    """Query of the page."""

    sides: list[str]
    """Runs first, then imports."""
    measure: RankingMeasure | None
    searched: str
    """Text of the runs to offer."""
    listing: bool
    """Only list the parts of the runs."""
    by: ComparedBy | None
    """Compare the values of a property of the first side's run, or the run with the one before it."""
    canonical: bool
    """False where a list of the form narrows a side, so that the sides have another address."""

    def address(self, sides: list[str]) -> str:
        """Return the address of the page with these sides."""
        values = {
            "run": sides,
            "measure": self.measure or "",
            "q": self.searched,
            "show": "parts" if self.listing else "",
        }
        return "/compare?" + urlencode({name: value for name, value in values.items() if value}, doseq=True)


def comparison_query(
    *,
    request: Request,
    run: SidesQuery = [],  # noqa: B006 - FastAPI copies it
    measure: Choice = "",
    searched: Annotated[SearchText, Query(alias="q", max_length=80)] = "",
    show: Literal["", "parts"] = "",
    by: Literal["", ComparedBy] = "",
) -> ComparisonQuery:
    """Return the query of a request: ``run`` names a side, ``part1`` … narrow the first, second … of them."""
    parts = [_parts_of(request, number) for number in range(1, len(run) + 1)]
    sides = [",".join([side.strip(), *own]) for side, own in zip(run, parts, strict=True) if side.strip()]
    return ComparisonQuery(
        sides=sorted(sides, key=lambda side: side.startswith(IMPORT_PREFIX)),
        measure=parse_ranking_measure(measure),
        searched=searched.strip(),
        listing=show == "parts",
        by=by or None,
        canonical=not any(request.query_params.getlist(f"{_PART}{number}") for number in range(1, MAX_SIDES + 1)),
    )


def _parts_of(request: Request, number: int) -> list[str]:
    """Return what the lists of a side select; a list without a choice sends an empty value."""
    found = [part for part in request.query_params.getlist(f"{_PART}{number}") if part]
    if any(len(part) > _MAX_LABEL or not part.isprintable() for part in found):
        raise InvalidRequest("The address has an invalid part of a run.", remedy=SYNTAX, field=_PART)
    return found
