"""The query of a run's page: filters and order of its table, and the choice of its charts."""

from dataclasses import dataclass, field, fields, replace
from typing import Annotated

from fastapi import Depends, Query

from orchestrator.results.cases.endpoints import CaseQuery
from orchestrator.results.cases.repository import CaseFilter, Sorting
from orchestrator.results.cases.schemas import CaseChoices
from orchestrator.results.cases.service import parse_sorting
from orchestrator.results.measures import RankingMeasure
from orchestrator.shared.values.parameters import SearchText
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.routing import Choice, PageNumber

_NOT_A_FILTER = ("run_id", "protocol")


@dataclass(frozen=True)
class ChartQuery:
    """The choice of charts: one kind of input or all, one algorithm or all, one agent or the first.

    Without a measure, the charts show the first phase with a throughput, or calls where the table shows calls.
    """

    measure: RankingMeasure | None
    kind: str | None
    algorithm: str | None
    agent_id: str | None
    top: Top = field(default_factory=Top)
    """Series of a chart with many of them."""


@dataclass(frozen=True)
class ResultQuery:
    """The query of a run's page."""

    cases: CaseFilter
    sort: str
    """Empty: the fastest case first."""
    page: int
    charts: ChartQuery
    sorting: Sorting = field(default_factory=Sorting)
    """The order of the table."""

    def among(self, choices: CaseChoices) -> "ResultQuery":
        """Return the query for the table of the chosen protocol; raises InvalidRequest for a column that it lacks."""
        protocol = choices.protocol
        charts = replace(self.charts, measure="call") if protocol == "latency" else self.charts
        cases, sorting = replace(self.cases, protocol=protocol), parse_sorting(self.sort, choices)
        return replace(self, cases=cases, sorting=sorting, charts=charts)

    @property
    def narrowed(self) -> bool:
        """True where the filter excludes cases of the run and its protocol."""
        filters = (field.name for field in fields(CaseFilter) if field.name not in _NOT_A_FILTER)
        return any(getattr(self.cases, name) is not None for name in filters)


def result_query(
    *,
    cases: Annotated[CaseQuery, Depends()],
    sort: Choice = "",
    number: PageNumber = 1,
    measure: Choice = "",
    shown_kind: Annotated[SearchText | None, Query(max_length=80, alias="input")] = None,
    shown_algorithm: Annotated[SearchText | None, Query(max_length=80, alias="drawn")] = None,
    device: Annotated[SearchText | None, Query(max_length=80)] = None,
    top: TopDep,
) -> ResultQuery:
    """Return the query of a request for a run's page."""
    chosen = parse_ranking_measure(measure)
    charts = ChartQuery(chosen, shown_kind, shown_algorithm, device, top)
    return ResultQuery(cases, sort, number, charts)
