"""Queries over the cases of a run, their statistics and what belongs to both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import Field
from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, defer

from orchestrator.database.models import Agent, Build, Case, CaseStatistics, Curve, Execution, ExpectedDigest, Footprint
from orchestrator.results.cases.schemas import Protocol
from orchestrator.results.repository import DIGEST_OF_CASE, FOOTPRINT_OF_CASE
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.parameters import SearchText, WholeNumber
from orchestrator.wire.messages import MAX_SHARES, MIN_SHARES

_Choice = Annotated[SearchText | None, Field(max_length=80)]
PROTOCOLS: tuple[Protocol, ...] = ("process", "latency")

_COMMON_COLUMNS: dict[str, InstrumentedAttribute[Any]] = {
    "number": Case.number,
    "provider": Case.provider,
    "algorithm": Case.algorithm,
    "length": Case.message_bytes,
    "memory": CaseStatistics.median_peak_rss_bytes,
    "n": CaseStatistics.ok,
    "disturbed": CaseStatistics.disturbed,
}
SORT_COLUMNS: dict[Protocol, dict[str, InstrumentedAttribute[Any]]] = {
    "process": _COMMON_COLUMNS
    | {
        "kind": Case.input_kind,
        "pass": CaseStatistics.median_pass_bytes_per_second,
        "work": CaseStatistics.median_work_wall_ns,
        "cpu": CaseStatistics.median_work_cpu_ns,
    },
    "latency": _COMMON_COLUMNS
    | {
        "operation": Case.operation,
        "call": CaseStatistics.median_call_wall_ns,
        "cpu": CaseStatistics.median_call_cpu_ns,
        "cold": CaseStatistics.median_cold_call_wall_ns,
        "code": Footprint.code_bytes,
        "ram": Footprint.static_ram_bytes,
    },
}


@dataclass(frozen=True)
class CaseFilter:
    """Conditions on the cases of a run, as the query of the API and of the run's page has them; None means all."""

    run_id: str
    protocol: Protocol | None = None
    agent_id: _Choice = None
    provider: _Choice = None
    algorithm: _Choice = None
    variant: _Choice = None
    toolchain: Annotated[SearchText | None, Field(max_length=200, description="Its label: `gcc 12 -O3`.")] = None
    operation: _Choice = None
    kind: _Choice = None
    length_bytes: Annotated[WholeNumber | None, Field(ge=0, lt=2**63)] = None
    shares: Annotated[WholeNumber | None, Field(ge=MIN_SHARES, le=MAX_SHARES)] = None
    """Form of masked variants, like the next two."""
    masking: _Choice = None
    generator: _Choice = None


@dataclass(frozen=True)
class Sorting:
    """The column that a list is sorted by: one of SORT_COLUMNS, or a phase, by its throughput.

    Cases without a value come last either way.
    """

    key: str = "number"
    descending: bool = False

    @classmethod
    def parse(cls, text: str, known: Iterable[str]) -> "Sorting":
        """Return the order of ``-encrypt`` or ``length``; raises InvalidRequest for a column that is not known."""
        name, names = text.removeprefix("-"), list(known)
        if name not in names:
            raise InvalidRequest(
                f"The table cannot be sorted by {name[:40]!r}.", remedy=f"Use one of {', '.join(names)}.", field="sort"
            )
        return cls(name, text.startswith("-"))


class CaseRow(NamedTuple):
    """A case with its statistics, its agent's name, its build, its footprint and what its digests are compared with."""

    case: Case
    statistics: CaseStatistics | None
    agent_name: str
    build: Build
    footprint: Footprint | None
    basis: str | None
    vouched_by: str | None


class IntervalRow(NamedTuple):
    """A case with its statistics, and the numbers of its executions that are laid out, and timed and ok."""

    case: Case
    statistics: CaseStatistics | None
    agent_name: str
    toolchain: dict[str, Any]
    cross_built: Any
    laid_out: int
    timed: int


def list_after(
    session: Session, conditions: Sequence[ColumnElement[bool]], cursor: str | None, limit: int
) -> Rows[tuple[Any, ...]]:
    """Return a page of cases in the planner's order, each with the values of a CaseRow."""
    return rows_after(session, _cases().where(*conditions), (Case.number,), cursor, limit)


def list_sorted(
    session: Session,
    protocol: Protocol,
    conditions: Sequence[ColumnElement[bool]],
    sorting: Sorting,
    *,
    offset: int,
    limit: int,
) -> list[CaseRow]:
    """Return a part of the sorted cases of one protocol."""
    column = SORT_COLUMNS[protocol].get(sorting.key, _throughput(sorting.key))
    order = column.desc() if sorting.descending else column.asc()
    query = _cases().where(*conditions).order_by(order.nulls_last(), Case.number).offset(offset).limit(limit)
    return _rows(session, query)


def _throughput(phase: str) -> ColumnElement[float]:
    found: ColumnElement[float] = CaseStatistics.phases[phase, "median_bytes_per_second"].as_float()
    return found


def list_widest(session: Session, run_id: str, limit: int, *, imprecise: bool) -> list[IntervalRow]:
    """Return the cases of a run with the widest intervals, those without one first.

    imprecise: only cases that stopped before they were as precise as the plan requires.
    Reads the statistics of each case of the run, and no execution: the number of a case's executions is counted in an
    index, for the returned cases only.
    """
    # No case without a reason to stop meets the first condition.
    selected = Case.stop_reason != "reached" if imprecise else Case.operation != "noop"
    widest = (
        select(Case.id)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.run_id == run_id, selected)
        .order_by(CaseStatistics.relative_interval.desc().nulls_first(), Case.number)
        .limit(limit)
    )
    of_case = select(func.count()).where(Execution.case_id == Case.id).correlate(Case)
    # The ok executions that the statistics count include those made for memory or energy.
    timed = of_case.where(Execution.purpose == "timing", Execution.state == "ok")
    rows = session.execute(
        select(
            Case,
            CaseStatistics,
            Agent.name,
            Build.toolchain,
            Build.cross_built,
            of_case.scalar_subquery(),
            timed.scalar_subquery(),
        )
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.id.in_(widest))
        .order_by(Case.number)
    )
    return [IntervalRow._make(row) for row in rows]


def find(session: Session, case_id: int) -> CaseRow | None:
    """Return one case."""
    return next(iter(_rows(session, _cases().where(Case.id == case_id))), None)


def run_of_stale(session: Session, case_id: int) -> str | None:
    """Return the run of a case whose statistics do not include all changes."""
    query = select(Case.run_id).join(CaseStatistics, CaseStatistics.case_id == Case.id)
    return session.scalar(query.where(Case.id == case_id, CaseStatistics.stale_since.is_not(None)))


def count(session: Session, conditions: Sequence[ColumnElement[bool]]) -> int:
    """Return the number of cases."""
    return session.scalar(select(func.count()).select_from(Case).where(*conditions)) or 0


def matching(cases: CaseFilter, build_ids: Sequence[int] | None, *, with_noop: bool) -> list[ColumnElement[bool]]:
    """Return a filter as conditions on `Case`; build_ids are those of the filter's toolchain, None for all.

    with_noop: False excludes the cases of `noop`, which is an overhead and not a candidate.
    """
    values = {
        Case.protocol: cases.protocol,
        Case.agent_id: cases.agent_id,
        Case.provider: cases.provider,
        Case.algorithm: cases.algorithm,
        Case.variant: cases.variant,
        Case.operation: cases.operation,
        Case.input_kind: cases.kind,
        Case.message_bytes: cases.length_bytes,
        Case.shares: cases.shares,
        Case.masking: cases.masking,
        Case.generator: cases.generator,
    }
    conditions = [column == value for column, value in values.items() if value is not None]
    if build_ids is not None:
        conditions.append(Case.build_id.in_(build_ids))
    if not with_noop:
        conditions.append(Case.operation != "noop")
    return [Case.run_id == cases.run_id, *conditions]


_CaseQuery = Select[Case, CaseStatistics, str, Build, Footprint, str, str]


def _cases() -> _CaseQuery:
    # A build's runner listings have hundreds of rows, which no list of cases needs.
    return (
        select(Case, CaseStatistics, Agent.name, Build, Footprint, ExpectedDigest.basis, ExpectedDigest.vouched_by)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .outerjoin(Footprint, FOOTPRINT_OF_CASE)
        .outerjoin(ExpectedDigest, DIGEST_OF_CASE)
        .options(defer(Build.runners), defer(Build.compile_commands))
    )


def _rows(session: Session, query: _CaseQuery) -> list[CaseRow]:
    return [CaseRow._make(row) for row in session.execute(query)]


def protocols(session: Session, run_id: str) -> list[Protocol]:
    """Return the protocols of a run's cases, ``process`` first."""
    found = set(session.scalars(select(Case.protocol).where(Case.run_id == run_id).distinct()))
    return [protocol for protocol in PROTOCOLS if protocol in found]


def distinct_values(session: Session, run_id: str, protocol: Protocol) -> dict[str, list[Any]]:
    """Return the values of the filtered columns that occur in a run under one protocol, without those of `noop`."""
    columns = {
        "providers": Case.provider,
        "algorithms": Case.algorithm,
        "operations": Case.operation,
        "message_operations": Case.message_operations,
        "kinds": Case.input_kind,
        "lengths_bytes": Case.message_bytes,
        "shares": Case.shares,
        "degrees": Case.masking,
        "generators": Case.generator,
    }
    found = {}
    for name, column in columns.items():
        values = select(column).where(
            Case.run_id == run_id, Case.protocol == protocol, Case.operation != "noop", column.is_not(None)
        )
        found[name] = list(session.scalars(values.distinct().order_by(column)))
    return found


def max_series(session: Session, run_id: str, protocol: Protocol) -> int:
    """Return the number of implementations of the agent that has most under one protocol, without `noop`.

    An implementation counts once for each of its builds, copies and lengths of associated data.
    """
    identity: tuple[Any, ...] = (
        Case.agent_id, Case.build_id, Case.provider, Case.algorithm, Case.variant, Case.copy, Case.shares, Case.masking,
        Case.generator,
    )  # fmt: skip
    if protocol == "latency":
        identity += (Case.associated_data_bytes,)
    conditions = (
        Case.run_id == run_id, Case.protocol == protocol, Case.operation != "noop", Case.message_operations != "",
    )  # fmt: skip
    distinct = select(*identity).where(*conditions).distinct().subquery()
    counts = select(func.count()).select_from(distinct).group_by(distinct.c.agent_id)
    return max(session.scalars(counts), default=0)


def execution_with_curve_near(session: Session, case_id: int, work_wall_ns: float) -> int | None:
    """Return the ok execution of a case that has a curve and whose work time is nearest to this."""
    return session.scalar(
        select(Execution.id)
        .join(Curve, Curve.execution_id == Execution.id)
        .where(Execution.case_id == case_id, Execution.state == "ok")
        .order_by(func.abs(Execution.work_wall_ns - work_wall_ns), Execution.repetition)
        .limit(1)
    )


def headlines(session: Session, case: Case) -> dict[int, float]:
    """Return the headline time of each ok timing execution of a case by its id, ns: of one call, or of the work."""
    headline = Execution.call_wall_ns if case.protocol == "latency" else Execution.work_wall_ns
    rows = session.execute(
        select(Execution.id, headline).where(
            Execution.case_id == case.id, Execution.state == "ok", Execution.purpose == "timing", headline > 0
        )
    )
    return {row[0]: float(row[1]) for row in rows if row[1] is not None}


def skipped(session: Session, run_id: str) -> Sequence[Any]:
    """Return what a run skipped, by build and reason.

    A row has the agent's name, the toolchain, error and detail of the failure, and the numbers of cases and executions.
    """
    # Grouped by their labels: PostgreSQL takes two expressions with parameters as different ones.
    error, detail = (Execution.failure[name].as_string().label(f"skipped_{name}") for name in ("error", "detail"))
    rows = session.execute(
        select(Agent.name, Build.toolchain, error, detail, func.count(Case.id.distinct()), func.count())
        .select_from(Execution)
        .join(Case, Case.id == Execution.case_id)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .where(Execution.run_id == run_id, Execution.state == "skipped")
        .group_by(Agent.id, Build.id, error, detail)
        .order_by(Agent.name, Build.id)
    )
    return rows.all()
