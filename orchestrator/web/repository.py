"""What the pages read. Results come from ``case_summaries``: no page loads the executions of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, case, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from orchestrator.database.models import (
    Agent,
    Build,
    Calibration,
    Case,
    CaseSummary,
    Curve,
    Execution,
    ExpectedDigest,
    Inventory,
    Job,
    Omission,
    Proof,
    Run,
)

OPEN_JOBS = ("waiting", "sent", "running")
TROUBLE_STATES = ("wrong", "disputed", "failed")
COUNTS = ("ok", "failed", "wrong", "disputed", "skipped", "disturbed")

SortKey = Literal[
    "provider", "algorithm", "kind", "length", "encrypt", "decrypt", "pass", "work", "cpu", "memory", "n", "disturbed"
]
SORT_COLUMNS: dict[SortKey, InstrumentedAttribute[Any]] = {
    "provider": Case.provider,
    "algorithm": Case.algorithm,
    "kind": Case.input_kind,
    "length": Case.message_bytes,
    "encrypt": CaseSummary.median_encrypt_bytes_per_second,
    "decrypt": CaseSummary.median_decrypt_bytes_per_second,
    "pass": CaseSummary.median_pass_bytes_per_second,
    "work": CaseSummary.median_work_wall_ns,
    "cpu": CaseSummary.median_work_cpu_ns,
    "memory": CaseSummary.median_peak_rss_bytes,
    "n": CaseSummary.ok,
    "disturbed": CaseSummary.disturbed,
}


@dataclass(frozen=True)
class CaseResult:
    """A case with its statistics, the name of its agent, and the digest that its ciphertexts must have."""

    case: Case
    summary: CaseSummary | None
    agent: str
    expected: ExpectedDigest | None


@dataclass(frozen=True)
class MeasuredCase:
    """A case that has statistics."""

    case: Case
    summary: CaseSummary


@dataclass(frozen=True)
class TroubledExecution:
    """An execution without a valid result."""

    execution: Execution
    case: Case
    agent: str


@dataclass(frozen=True)
class Sorting:
    """The column a result table is sorted by."""

    key: SortKey = "encrypt"
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
    agent_id: str | None = None
    provider: str | None = None
    algorithm: str | None = None
    kind: str | None = None
    length_bytes: int | None = None

    @property
    def narrowed(self) -> bool:
        """Anything but the run is chosen."""
        chosen = (self.agent_id, self.provider, self.algorithm, self.kind, self.length_bytes)
        return any(value is not None for value in chosen)


def runs(session: Session, offset: int, limit: int) -> Sequence[Run]:
    """Return runs, the latest first."""
    return session.scalars(select(Run).order_by(Run.submitted_at.desc(), Run.id).offset(offset).limit(limit)).all()


def count_runs(session: Session) -> int:
    """Return how many runs there are."""
    return session.scalar(select(func.count()).select_from(Run)) or 0


def runs_of_agent(session: Session, agent_id: str, limit: int) -> Sequence[Run]:
    """Return the latest runs that have a job for this agent."""
    theirs = select(Job.run_id).where(Job.agent_id == agent_id)
    return session.scalars(select(Run).where(Run.id.in_(theirs)).order_by(Run.submitted_at.desc()).limit(limit)).all()


def run(session: Session, run_id: str) -> Run | None:
    """Return one run."""
    return session.get(Run, run_id)


def counts(session: Session, run_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return for each run how many executions ended in which way."""
    sums = [func.coalesce(func.sum(getattr(CaseSummary, name)), 0).label(name) for name in COUNTS]
    rows = session.execute(
        select(Case.run_id, *sums)
        .join(CaseSummary, CaseSummary.case_id == Case.id)
        .where(Case.run_id.in_(run_ids))
        .group_by(Case.run_id)
    )
    return {row.run_id: {name: getattr(row, name) for name in COUNTS} for row in rows}


def agents_of_runs(session: Session, run_ids: Sequence[str]) -> dict[str, dict[str, tuple[Agent, bool]]]:
    """Return for each run its agents by id, each with whether it has open jobs."""
    is_open = func.max(case((Job.state.in_(OPEN_JOBS), 1), else_=0)).label("is_open")
    rows = session.execute(
        select(Job.run_id, Agent, is_open)
        .join(Agent, Agent.id == Job.agent_id)
        .where(Job.run_id.in_(run_ids))
        .group_by(Job.run_id, Agent.id)
        .order_by(Agent.name)
    )
    found: dict[str, dict[str, tuple[Agent, bool]]] = {}
    for run_id, agent, open_jobs in rows:
        found.setdefault(run_id, {})[agent.id] = (agent, bool(open_jobs))
    return found


def _matching(cases: CaseFilter) -> list[ColumnElement[bool]]:
    wanted = {
        Case.agent_id: cases.agent_id,
        Case.provider: cases.provider,
        Case.algorithm: cases.algorithm,
        Case.input_kind: cases.kind,
        Case.message_bytes: cases.length_bytes,
    }
    chosen = [column == value for column, value in wanted.items() if value is not None]
    return [Case.run_id == cases.run_id, *chosen]


def results(session: Session, cases: CaseFilter, sorting: Sorting, part: Slice) -> tuple[list[CaseResult], int]:
    """Return one page of cases with their statistics, and how many cases match. Cases without a value come last."""
    column = SORT_COLUMNS[sorting.key]
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
    rows = session.execute(
        select(Case, CaseSummary, Agent.name, ExpectedDigest)
        .join(Agent, Agent.id == Case.agent_id)
        .outerjoin(CaseSummary, CaseSummary.case_id == Case.id)
        .outerjoin(ExpectedDigest, same_input)
        .where(*conditions)
        .order_by(order, Case.number)
        .offset(part.offset)
        .limit(part.limit)
    )
    return [CaseResult(case, summary, agent, expected) for case, summary, agent, expected in rows]


def measured_cases(session: Session, cases: CaseFilter, limit: int) -> list[MeasuredCase]:
    """Return the cases that have a median, for the charts."""
    rows = session.execute(
        select(Case, CaseSummary)
        .join(CaseSummary, CaseSummary.case_id == Case.id)
        .where(*_matching(cases), CaseSummary.ok > 0, Case.operation != "noop")
        .order_by(Case.number)
        .limit(limit)
    )
    return [MeasuredCase(case, summary) for case, summary in rows]


def distinct_values(session: Session, run_id: str) -> dict[str, list[Any]]:
    """Return what the results of a run can be filtered by."""
    columns = {
        "providers": Case.provider,
        "algorithms": Case.algorithm,
        "kinds": Case.input_kind,
        "lengths": Case.message_bytes,
    }
    return {name: _distinct(session, run_id, column) for name, column in columns.items()}


def _distinct(session: Session, run_id: str, column: InstrumentedAttribute[Any]) -> list[Any]:
    return list(
        session.scalars(select(column).where(Case.run_id == run_id, column.is_not(None)).distinct().order_by(column))
    )


def troubles(session: Session, run_id: str, limit: int) -> list[TroubledExecution]:
    """Return executions without a valid result: wrong before disputed before failed."""
    found: list[TroubledExecution] = []
    for state in TROUBLE_STATES:
        rows = session.execute(
            select(Execution, Case, Agent.name)
            .join(Case, Case.id == Execution.case_id)
            .join(Agent, Agent.id == Case.agent_id)
            .where(Execution.run_id == run_id, Execution.state == state)
            .order_by(Execution.id)
            .limit(limit - len(found))
        )
        found += [TroubledExecution(execution, case, agent) for execution, case, agent in rows]
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


def builds_of_run(session: Session, run_id: str) -> Sequence[Build]:
    """Return the builds whose runners a run executes."""
    used = select(Case.build_id).where(Case.run_id == run_id).distinct()
    return session.scalars(select(Build).where(Build.id.in_(used)).order_by(Build.id)).all()


def calibrations(session: Session, agent_ids: Sequence[str]) -> list[tuple[Calibration, Build]]:
    """Return the latest calibration of each kind on each agent's build."""
    latest = (
        select(func.max(Calibration.id))
        .where(Calibration.agent_id.in_(agent_ids))
        .group_by(Calibration.agent_id, Calibration.build_id, Calibration.kind)
    )
    rows = session.execute(
        select(Calibration, Build)
        .join(Build, Build.id == Calibration.build_id)
        .where(Calibration.id.in_(latest))
        .order_by(Calibration.kind, Calibration.build_id)
    )
    return [(calibration, build) for calibration, build in rows]


def inventories(session: Session, agents: Sequence[Agent]) -> dict[str, Inventory]:
    """Return the present inventory of each agent, by agent id."""
    ids = [agent.inventory_id for agent in agents if agent.inventory_id is not None]
    return {found.agent_id: found for found in session.scalars(select(Inventory).where(Inventory.id.in_(ids)))}


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


def execution_near(session: Session, case_id: int, work_wall_ns: float) -> int | None:
    """Return the ok execution of a case that has a curve and whose work is nearest to this."""
    return session.scalar(
        select(Execution.id)
        .join(Curve, Curve.execution_id == Execution.id)
        .where(Execution.case_id == case_id, Execution.state == "ok")
        .order_by(func.abs(Execution.work_wall_ns - work_wall_ns), Execution.repetition)
        .limit(1)
    )


def execution(session: Session, execution_id: int) -> Execution | None:
    """Return one execution."""
    return session.get(Execution, execution_id)


def agents(session: Session) -> Sequence[Agent]:
    """Return all agents by name, revoked ones last."""
    return session.scalars(select(Agent).order_by(Agent.revoked_at.is_not(None), Agent.name)).all()


def agent(session: Session, agent_id: str) -> Agent | None:
    """Return one agent."""
    return session.get(Agent, agent_id)


def builds_of_agent(session: Session, agent_id: str) -> Sequence[Build]:
    """Return an agent's builds, the current and newest first."""
    return session.scalars(
        select(Build).where(Build.agent_id == agent_id).order_by(Build.current.desc(), Build.id.desc()).limit(20)
    ).all()


def proofs(session: Session, build_ids: Sequence[int]) -> Sequence[Proof]:
    """Return all proofs of these builds."""
    return session.scalars(
        select(Proof).where(Proof.build_id.in_(build_ids)).order_by(Proof.provider, Proof.algorithm, Proof.variant)
    ).all()
