"""The page of one case and the page of one execution, as views."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Execution
from orchestrator.errors import NotFound
from orchestrator.results import service as results
from orchestrator.results.schemas import ExecutionDetail
from orchestrator.statistics.outliers import outliers
from orchestrator.web import agent_repository, assemble, latency_repository, repository
from orchestrator.web.repository import CaseResult, Slice
from orchestrator.web.runs import latency
from orchestrator.web.runs.run import ROWS_A_PAGE, pages_of
from orchestrator.web.views import CasePage, ExecutionPage, ExecutionRow, Phase


@dataclass(frozen=True)
class Span:
    """A phase on the time line of an execution, in ns after the spawn."""

    name: str
    start_ns: int
    end_ns: int


def case_page(session: Session, case_id: int, page: int) -> CasePage:
    """Return one case with one page of its executions; raises NotFound."""
    found = repository.case_result(session, case_id)
    if found is None:
        raise NotFound(f"There is no case {case_id}.", remedy="Follow a row of a run's result table.")
    rows, total = repository.executions_of_case(session, case_id, Slice((page - 1) * ROWS_A_PAGE, ROWS_A_PAGE))
    headlines = repository.headlines_of_case(session, found.case)
    marked = {one for one, far in zip(headlines, outliers(list(headlines.values())), strict=True) if far}
    return CasePage(
        run_id=found.case.run_id,
        run_name=_run_name(session, found.case.run_id),
        case=latency.case_row(session, found),
        executions=[_row(execution, execution.id in marked) for execution in rows],
        page=page,
        pages=pages_of(total, ROWS_A_PAGE),
        curve_execution_id=_typical(session, found),
    )


def _typical(session: Session, found: CaseResult) -> int | None:
    """Return the execution nearest to the median, where it has a curve."""
    if found.case.protocol == "latency":
        typical = latency_repository.typical_executions(session, [found.case.id]).get(found.case.id)
        return typical.execution_id if typical and repository.has_curve(session, typical.execution_id) else None
    middle = found.summary.median_work_wall_ns if found.summary else None
    return None if middle is None else repository.execution_near(session, found.case.id, middle)


def execution_page(database: Database, execution_id: int) -> ExecutionPage:
    """Return everything that is known of one execution; raises NotFound."""
    detail = results.show_execution(database, execution_id)
    with database.read() as session:
        found = repository.case_result(session, detail.case_id)
        agent = agent_repository.agent(session, detail.agent_id)
        execution = repository.execution(session, execution_id)
        if found is None or agent is None or execution is None:
            raise NotFound(f"Execution {execution_id} was deleted meanwhile.", remedy="Go back to its run.")
        case = latency.case_row(session, found)
        run_name = _run_name(session, detail.run_id)
    return ExecutionPage(
        detail=detail,
        case=case,
        run_name=run_name,
        agent=assemble.agent_name(agent),
        position=execution.position,
        phases=_phases(detail),
        timings=results.show_timings(database, execution_id) if detail.has_timings else None,
    )


def spans(detail: ExecutionDetail) -> list[Span]:
    """Return the phases in order from the spawn to the end of work; empty where there is no work, as in calls.

    The cipher phases are read backwards from the end of work. What is before them is start and load, told apart
    where the runner's own stamps were stored.
    """
    cipher = [
        ("decrypt", detail.decrypt_wall_ns),
        ("encrypt", detail.encrypt_wall_ns),
        ("key setup", detail.key_setup_wall_ns),
    ]
    if detail.work_wall_ns is None:
        return []
    end, found = detail.work_wall_ns, []
    for name, wall_ns in cipher:
        if wall_ns is not None:
            found.append(Span(name, end - wall_ns, end))
            end -= wall_ns
    start_ns = next((reading.value for reading in detail.readings if reading.name == "start_wall_ns"), None)
    if start_ns is not None and 0 <= start_ns <= end:
        found += [Span("load", int(start_ns), end), Span("start", 0, int(start_ns))]
    else:
        found.append(Span("start and load", 0, end))
    return found[::-1]


def _phases(detail: ExecutionDetail) -> list[Phase]:
    work = detail.work_wall_ns or 1
    return [
        Phase(name=span.name, wall_ns=span.end_ns - span.start_ns, share=(span.end_ns - span.start_ns) / work)
        for span in spans(detail)
    ]


def _row(execution: Execution, outlier: bool) -> ExecutionRow:
    return ExecutionRow(
        id=execution.id,
        repetition=execution.repetition,
        purpose=execution.purpose,
        position=execution.position,
        state=execution.state,
        started_at=execution.started_at,
        call_wall_ns=execution.call_wall_ns,
        call_cpu_ns=execution.call_cpu_ns,
        work_wall_ns=execution.work_wall_ns,
        encrypt_wall_ns=execution.encrypt_wall_ns,
        decrypt_wall_ns=execution.decrypt_wall_ns,
        work_cpu_ns=execution.work_cpu_ns,
        peak_rss_bytes=execution.peak_rss_bytes,
        disturbed=execution.disturbed,
        outlier=outlier,
    )


def _run_name(session: Session, run_id: str) -> str:
    run = repository.run(session, run_id)
    return run.name if run else run_id
