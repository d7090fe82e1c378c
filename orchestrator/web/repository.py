"""What the pages read. Results come from ``case_statistics``: no page loads the executions of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from orchestrator.database.models import (
    Agent,
    Build,
    Case,
    CaseStatistics,
    Curve,
    Execution,
    ExpectedDigest,
    Footprint,
    Omission,
    Run,
)

OPEN_JOBS = ("waiting", "sent", "running")
TROUBLE_STATES = ("wrong", "disputed", "failed")
COUNTS = ("ok", "failed", "wrong", "disputed", "skipped", "disturbed")

Protocol = Literal["process", "latency"]

_COMMON_COLUMNS: dict[str, InstrumentedAttribute[Any]] = {
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
        "encrypt": CaseStatistics.median_encrypt_bytes_per_second,
        "decrypt": CaseStatistics.median_decrypt_bytes_per_second,
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
class CaseResult:
    """A case with its statistics, its agent's name, its toolchain, and the digest that its ciphertexts must have."""

    case: Case
    summary: CaseStatistics | None
    agent: str
    toolchain: dict[str, Any]
    footprint: Footprint | None
    expected: ExpectedDigest | None


@dataclass(frozen=True)
class MeasuredCase:
    """A case that has statistics."""

    case: Case
    summary: CaseStatistics
    toolchain: dict[str, Any]


@dataclass(frozen=True)
class TroubledExecution:
    """An execution without a valid result."""

    execution: Execution
    case: Case
    agent: str
    toolchain: dict[str, Any]


@dataclass(frozen=True)
class Sorting:
    """The column a result table is sorted by: one of SORT_COLUMNS of its protocol."""

    key: str = "encrypt"
    descending: bool = True


@dataclass(frozen=True)
class Slice:
    """Which rows of a list."""

    offset: int
    limit: int


@dataclass(frozen=True)
class CaseFilter:
    """Which cases of a run; None means all."""

    run_id: str
    protocol: Protocol = "process"
    agent_id: str | None = None
    provider: str | None = None
    algorithm: str | None = None
    toolchain: str | None = None  # in words
    build_ids: tuple[int, ...] | None = None  # those of the toolchain
    operation: str | None = None
    kind: str | None = None
    length_bytes: int | None = None

    @property
    def narrowed(self) -> bool:
        """Anything but run and protocol is chosen."""
        chosen = (self.agent_id, self.provider, self.algorithm, self.toolchain)
        of_input = (self.operation, self.kind, self.length_bytes)
        return any(value is not None for value in (*chosen, *of_input))


def runs(session: Session, offset: int, limit: int) -> Sequence[Run]:
    """Return runs, the latest first."""
    return session.scalars(select(Run).order_by(Run.submitted_at.desc(), Run.id).offset(offset).limit(limit)).all()


def count_runs(session: Session) -> int:
    """Return how many runs there are."""
    return session.scalar(select(func.count()).select_from(Run)) or 0


def run(session: Session, run_id: str) -> Run | None:
    """Return one run."""
    return session.get(Run, run_id)


def disturbed(session: Session, run_ids: Sequence[str]) -> dict[str, int]:
    """Return for each run how many of its ok executions were disturbed."""
    rows = session.execute(
        select(Case.run_id, func.sum(CaseStatistics.disturbed))
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.run_id.in_(run_ids))
        .group_by(Case.run_id)
    )
    return {row[0]: row[1] for row in rows}


def _matching(cases: CaseFilter) -> list[ColumnElement[bool]]:
    wanted = {
        Case.agent_id: cases.agent_id,
        Case.provider: cases.provider,
        Case.algorithm: cases.algorithm,
        Case.operation: cases.operation,
        Case.input_kind: cases.kind,
        Case.message_bytes: cases.length_bytes,
    }
    chosen = [column == value for column, value in wanted.items() if value is not None]
    if cases.build_ids is not None:
        chosen.append(Case.build_id.in_(cases.build_ids))
    return [Case.run_id == cases.run_id, Case.protocol == cases.protocol, *chosen]


def results(session: Session, cases: CaseFilter, sorting: Sorting, part: Slice) -> tuple[list[CaseResult], int]:
    """Return one page of cases with their statistics, and how many cases match. Cases without a value come last."""
    column = SORT_COLUMNS[cases.protocol][sorting.key]
    order = column.desc() if sorting.descending else column.asc()
    conditions = _matching(cases)
    total = session.scalar(select(func.count()).select_from(Case).where(*conditions)) or 0
    return _case_results(session, conditions, order.nulls_last(), part), total


def case_result(session: Session, case_id: int) -> CaseResult | None:
    """Return one case with its statistics."""
    found = _case_results(session, [Case.id == case_id], Case.number.asc(), Slice(0, 1))
    return found[0] if found else None


def _case_results(
    session: Session, conditions: Sequence[ColumnElement[bool]], order: ColumnElement[Any], part: Slice
) -> list[CaseResult]:
    same_input = and_(ExpectedDigest.algorithm == Case.algorithm, ExpectedDigest.input_sha256 == Case.input_sha256)
    # The toolchain alone: a whole build carries what its runners list, hundreds of rows of it.
    rows = session.execute(
        select(Case, CaseStatistics, Agent.name, Build.toolchain, Footprint, ExpectedDigest)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .outerjoin(CaseStatistics, CaseStatistics.case_id == Case.id)
        .outerjoin(Footprint, _of_same_implementation())
        .outerjoin(ExpectedDigest, same_input)
        .where(*conditions)
        .order_by(order, Case.number)
        .offset(part.offset)
        .limit(part.limit)
    )
    return [CaseResult(*row) for row in rows]


def _of_same_implementation() -> ColumnElement[bool]:
    names = ((Footprint.provider, Case.provider), (Footprint.algorithm, Case.algorithm))
    return and_(
        Footprint.build_id == Case.build_id,
        *(theirs == ours for theirs, ours in (*names, (Footprint.variant, Case.variant))),
    )


def measured_cases(session: Session, cases: CaseFilter, limit: int) -> list[MeasuredCase]:
    """Return the cases that have a median, for the charts."""
    rows = session.execute(
        select(Case, CaseStatistics, Build.toolchain)
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .join(Build, Build.id == Case.build_id)
        .where(*_matching(cases), CaseStatistics.ok > 0, Case.operation != "noop")
        .order_by(Case.number)
        .limit(limit)
    )
    return [MeasuredCase(*row) for row in rows]


def protocols(session: Session, run_id: str) -> list[Protocol]:
    """Return the protocols that the cases of a run are measured by, process first."""
    query = select(Case.protocol).where(Case.run_id == run_id).distinct()
    found = set(session.scalars(query))
    return [known for known in SORT_COLUMNS if known in found]


def distinct_values(session: Session, run_id: str, protocol: Protocol) -> dict[str, list[Any]]:
    """Return what the results of a run under one protocol can be filtered by."""
    columns = {
        "providers": Case.provider,
        "algorithms": Case.algorithm,
        "operations": Case.operation,
        "kinds": Case.input_kind,
        "lengths": Case.message_bytes,
    }
    found = {}
    for name, column in columns.items():
        values = select(column).where(Case.run_id == run_id, Case.protocol == protocol, column.is_not(None))
        found[name] = list(session.scalars(values.distinct().order_by(column)))
    return found


def troubles(session: Session, run_id: str, limit: int) -> list[TroubledExecution]:
    """Return executions without a valid result: wrong before disputed before failed."""
    found: list[TroubledExecution] = []
    for state in TROUBLE_STATES:
        rows = session.execute(
            select(Execution, Case, Agent.name, Build.toolchain)
            .join(Case, Case.id == Execution.case_id)
            .join(Agent, Agent.id == Case.agent_id)
            .join(Build, Build.id == Case.build_id)
            .where(Execution.run_id == run_id, Execution.state == state)
            .order_by(Execution.id)
            .limit(limit - len(found))
        )
        found += [TroubledExecution(*row) for row in rows]
    return found


def omissions(session: Session, run_id: str, limit: int) -> list[tuple[Omission, str | None]]:
    """Return what a run left out, with the name of the agent it concerns."""
    rows = session.execute(
        select(Omission, Agent.name)
        .outerjoin(Agent, Agent.id == Omission.agent_id)
        .where(Omission.run_id == run_id)
        .order_by(Omission.id)
        .limit(limit)
    )
    return [(omission, agent) for omission, agent in rows]


def executions_of_case(session: Session, case_id: int, part: Slice) -> tuple[Sequence[Execution], int]:
    """Return one page of a case's executions in the order of their repetition, and how many there are."""
    total = session.scalar(select(func.count()).select_from(Execution).where(Execution.case_id == case_id)) or 0
    rows = session.scalars(
        select(Execution)
        .where(Execution.case_id == case_id)
        .order_by(Execution.repetition, Execution.purpose)
        .offset(part.offset)
        .limit(part.limit)
    ).all()
    return rows, total


def headlines_of_case(session: Session, case: Case) -> dict[int, float]:
    """Return the headline of each ok timing execution of a case by its id, ns: of one call, or of the work."""
    headline = Execution.call_wall_ns if case.protocol == "latency" else Execution.work_wall_ns
    rows = session.execute(
        select(Execution.id, headline).where(
            Execution.case_id == case.id, Execution.state == "ok", Execution.purpose == "timing", headline > 0
        )
    )
    return {row[0]: float(row[1]) for row in rows if row[1] is not None}


def execution_near(session: Session, case_id: int, work_wall_ns: float) -> int | None:
    """Return the ok execution of a case that has a curve and whose work is nearest to this."""
    return session.scalar(
        select(Execution.id)
        .join(Curve, Curve.execution_id == Execution.id)
        .where(Execution.case_id == case_id, Execution.state == "ok")
        .order_by(func.abs(Execution.work_wall_ns - work_wall_ns), Execution.repetition)
        .limit(1)
    )


def has_curve(session: Session, execution_id: int) -> bool:
    """Tell whether samples of this execution are stored."""
    return session.scalar(select(Curve.samples).where(Curve.execution_id == execution_id)) is not None


def execution(session: Session, execution_id: int) -> Execution | None:
    """Return one execution."""
    return session.get(Execution, execution_id)
