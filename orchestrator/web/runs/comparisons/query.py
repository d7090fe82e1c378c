"""The query of the page that compares runs, as the form and links send it."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query
from pydantic import Field, create_model

from orchestrator.results.comparisons.choices.schemas import ComparedBy
from orchestrator.results.comparisons.schemas import MAX_SIDES
from orchestrator.results.imports.document import IMPORT_PREFIX
from orchestrator.results.measures import RankingMeasure
from orchestrator.shared.values.parameters import SearchText
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.routing import Choice

_MAX_LABEL = 300
_Part = Annotated[SearchText, Field(max_length=_MAX_LABEL)]
_LISTS: dict[str, Any] = {f"part{number}": (list[_Part], []) for number in range(1, MAX_SIDES + 1)}
"""The lists of the form: part1 narrows the first side, and so on."""
_Parts = create_model("_Parts", **_LISTS)

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


def _parts(parts: Annotated[_Parts, Query()]) -> list[list[str]]:
    return [getattr(parts, name) for name in _LISTS]


def comparison_query(
    *,
    parts: Annotated[list[list[str]], Depends(_parts)],
    run: SidesQuery = [],  # noqa: B006 - FastAPI copies it
    measure: Choice = "",
    searched: Annotated[SearchText, Query(alias="q", max_length=80)] = "",
    show: Literal["", "parts"] = "",
    by: Literal["", ComparedBy] = "",
) -> ComparisonQuery:
    """Return the query of a request: ``run`` names a side, ``part1`` … narrow the first, second … of them."""
    sides = [",".join([side.strip(), *own]) for side, own in zip(run, parts, strict=False) if side.strip()]
    return ComparisonQuery(
        sides=sorted(sides, key=lambda side: side.startswith(IMPORT_PREFIX)),
        measure=parse_ranking_measure(measure),
        searched=searched.strip(),
        listing=show == "parts",
        by=by or None,
        canonical=not any(parts),
    )
