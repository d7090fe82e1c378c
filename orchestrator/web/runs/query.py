"""The query of a run's page: filters and order of its table, and the choice of its charts."""

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Literal

from fastapi import Depends, Query

from orchestrator.results.cases.repository import CaseFilter, Sorting
from orchestrator.results.cases.schemas import Protocol
from orchestrator.results.cases.service import parse_sorting
from orchestrator.results.schemas import Measure
from orchestrator.shared.values.parameters import SearchText
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.charts.points import parse_measure
from orchestrator.web.routing import Choice, PageNumber

FASTEST_FIRST: dict[Protocol, str] = {"process": "-encrypt", "latency": "call"}
_NOT_A_FILTER = ("run_id", "protocol", "with_noop")


@dataclass(frozen=True)
class ChartQuery:
    """The choice of charts: one kind of input or all, one algorithm or all, one agent or the first.

    Without a measure, the charts show encryption, or calls where the table shows calls.
    """

    measure: Measure | None
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

    def for_protocol(self, protocol: Protocol) -> "ResultQuery":
        """Return the query for the table of this protocol; raises InvalidRequest for a column that it lacks."""
        charts = replace(self.charts, measure="call") if protocol == "latency" else self.charts
        sort = self.sort or FASTEST_FIRST[protocol]
        parse_sorting(sort, protocol)
        return replace(self, cases=replace(self.cases, protocol=protocol), sort=sort, charts=charts)

    @property
    def sorting(self) -> Sorting:
        """The order of the table."""
        protocol = self.cases.protocol or "process"
        return parse_sorting(self.sort or FASTEST_FIRST[protocol], protocol)

    @property
    def narrowed(self) -> bool:
        """True where the filter excludes cases of the run and its protocol."""
        filters = (field.name for field in fields(CaseFilter) if field.name not in _NOT_A_FILTER)
        return any(getattr(self.cases, name) is not None for name in filters)


def _case_filter(
    *,
    run_id: str,
    protocol: Literal["", "process", "latency"] = "",
    agent: Choice = "",
    provider: Choice = "",
    algorithm: Choice = "",
    toolchain: Annotated[SearchText, Query(max_length=200)] = "",
    operation: Choice = "",
    kind: Choice = "",
    length: Annotated[str, Query(pattern=r"^[0-9]{0,12}$")] = "",
    shares: Annotated[str, Query(pattern=r"^[0-9]?$")] = "",
    degree: Choice = "",
    generator: Choice = "",
) -> CaseFilter:
    # Forms send an empty value for "all".
    return CaseFilter(
        run_id=run_id,
        protocol=protocol or None,
        agent_id=agent or None,
        provider=provider or None,
        algorithm=algorithm or None,
        toolchain=toolchain or None,
        operation=operation or None,
        kind=kind or None,
        length_bytes=int(length) if length else None,
        shares=int(shares) if shares else None,
        masking=degree or None,
        generator=generator or None,
        with_noop=False,
    )


def result_query(
    *,
    cases: Annotated[CaseFilter, Depends(_case_filter)],
    sort: Choice = "",
    number: PageNumber = 1,
    measure: Choice = "",
    shown_kind: Annotated[SearchText, Query(max_length=80, alias="input")] = "",
    shown_algorithm: Annotated[SearchText, Query(max_length=80, alias="drawn")] = "",
    device: Choice = "",
    top: TopDep,
) -> ResultQuery:
    """Return the query of a request for a run's page."""
    chosen = parse_measure(measure) if measure else None
    charts = ChartQuery(chosen, shown_kind or None, shown_algorithm or None, device or None, top)
    return ResultQuery(cases, sort, number, charts)
