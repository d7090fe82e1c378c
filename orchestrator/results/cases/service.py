"""Cases with their statistics: lists, one case, filter values, skipped cases. The API and the pages read these."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from sqlalchemy.orm import Session

from orchestrator.builds import repository as builds
from orchestrator.database.engine import Database
from orchestrator.database.models import Execution, Run
from orchestrator.results import repository as results
from orchestrator.results.answers import repository as answers
from orchestrator.results.answers.facts import footprint_figures
from orchestrator.results.cases import repository
from orchestrator.results.cases.repository import SORT_COLUMNS, CaseFilter, CaseRow, Sorting
from orchestrator.results.cases.schemas import (
    CaseChoices,
    CaseDetail,
    CaseFigures,
    CaseInterval,
    CaseSummary,
    Protocol,
    RunIntervals,
    SkippedCases,
    TypicalCall,
)
from orchestrator.results.digests.verdicts import vouched_by
from orchestrator.results.freshness.service import catch_up, snapshot_of
from orchestrator.results.validation import has_digest
from orchestrator.runs.progress.precision import precision_of
from orchestrator.service.pagination import Page
from orchestrator.shared.errors import NotFound
from orchestrator.statistics.outliers import outliers
from orchestrator.statistics.stopping import missing_repetitions
from orchestrator.wire.base import NOOP
from orchestrator.wire.builds import Toolchain, build_words
from orchestrator.wire.messages import CIPHER_SEQUENCE, operations_of, phases_of, with_message
from orchestrator.wire.plans import Precision


def list_cases(database: Database, cases: CaseFilter, cursor: str | None, limit: int) -> Page[CaseSummary]:
    """Return one page of a run's cases with their statistics, in the planner's order; raises NotFound."""
    with snapshot_of(database, cases.run_id) as seen:
        conditions = repository.matching(cases, _build_ids(seen.session, cases), with_noop=True)
        rows = repository.list_after(seen.session, conditions, cursor, limit)
    return rows.page(lambda row: _summary(CaseRow._make(row)))


def list_sorted_cases(
    session: Session, protocol: Protocol, cases: CaseFilter, sorting: Sorting, *, offset: int, limit: int
) -> tuple[list[CaseSummary], int]:
    """Return a part of a run's cases of one protocol, without `noop`, in the order of a column, and their number."""
    of_protocol = replace(cases, protocol=protocol)
    conditions = repository.matching(of_protocol, _build_ids(session, cases), with_noop=False)
    rows = repository.list_sorted(session, protocol, conditions, sorting, offset=offset, limit=limit)
    total = repository.count(session, conditions)
    return [_summary(row) for row in rows], total


def parse_sorting(text: str, choices: CaseChoices) -> Sorting:
    """Return the order of ``-encrypt`` or ``length``, by default the fastest first.

    choices: of the run; raises InvalidRequest for a column that its table lacks.
    """
    if not text:
        text = "call" if choices.protocol == "latency" else f"-{choices.phases[0]}" if choices.phases else "number"
    return Sorting.parse(text, [*choices.phases, *SORT_COLUMNS[choices.protocol]])


def catch_up_case(database: Database, case_id: int) -> None:
    """Include the changes of the run of a case if the case has any."""
    with database.read() as session:
        run_id = repository.run_of_stale(session, case_id)
    if run_id is not None:
        catch_up(database, run_id)


def get_case(session: Session, case_id: int) -> CaseDetail:
    """Return one case with its statistics and its build; raises NotFound."""
    row = repository.find(session, case_id)
    if row is None:
        raise NotFound(f"There is no case {case_id}.", remedy="List those of a run: GET /api/v1/runs/{run_id}/cases.")
    return CaseDetail.from_row(
        row.case,
        **_joined(row),
        build_key=row.build.build_key,
        toolchain=row.build.toolchain,
        compiler_version=row.build.compiler_version,
        build_failure=row.build.failure,
    )


def get_choices(session: Session, run_id: str, protocol: Protocol | None) -> CaseChoices:
    """Return the values that a run's cases can be filtered by under one protocol, or under its first one."""
    protocols = repository.protocols(session, run_id)
    chosen: Protocol = protocol or (protocols[0] if protocols else "process")
    found = repository.distinct_values(session, run_id, chosen)
    phases = _timed_phases(found.pop("message_operations"))
    return CaseChoices(
        protocols=protocols,
        protocol=chosen,
        phases=phases if chosen == "process" else [],
        series=repository.max_series(session, run_id, chosen),
        **found,
    )


_OF_CIPHER = with_message(operations_of(None), CIPHER_SEQUENCE)


def _timed_phases(sequences: Iterable[str]) -> list[str]:
    """Return the phases with a throughput, those of a cipher first."""
    first = sorted(sequences, key=lambda one: one != _OF_CIPHER)
    return list(dict.fromkeys(phase for one in first for phase in phases_of(one)))


def get_intervals(session: Session, run: Run, limit: int, *, imprecise: bool = False) -> RunIntervals:
    """Return the widest 95 % intervals of a run now, with the executions that are left.

    imprecise: only of cases that stopped before they were as precise as the plan requires.
    """
    precision = precision_of(run)
    total = repository.count(session, repository.matching(CaseFilter(run.id), None, with_noop=False))
    rows = repository.list_widest(session, run.id, limit, imprecise=imprecise)
    return RunIntervals(
        target=precision.relative_interval if precision else None,
        total=total,
        cases=[_interval(row, precision) for row in rows],
    )


def _interval(row: repository.IntervalRow, precision: Precision | None) -> CaseInterval:
    case, figures = row.case, row.statistics
    ended = figures.ended if figures else 0
    width = figures.relative_interval if figures else None
    left = max(0, row.laid_out - ended)
    if precision and case.stop_reason is None and figures and figures.ok:
        needed = missing_repetitions(ended, figures.ok, width, precision)
        left = max(left, min(needed, precision.max_repetitions - ended))
    return CaseInterval.from_row(
        case,
        **results.case_fields(case, row.agent_name, row.toolchain, row.cross_built),
        case_id=case.id,
        ended=ended,
        relative_interval=width,
        timed=row.timed,
        left=0 if case.stop_reason else left,
    )


def list_skipped(session: Session, run_id: str) -> list[SkippedCases]:
    """Return the skipped cases of a run, by agent, toolchain and reason."""
    return [
        SkippedCases(
            agent_name=name,
            toolchain_words=Toolchain.model_validate(toolchain).words,
            error=error or "skipped",
            detail=detail or "No reason was recorded.",
            cases=cases,
            executions=executions,
        )
        for name, toolchain, error, detail, cases, executions in repository.skipped(session, run_id)
    ]


def typical_calls(session: Session, case_ids: Sequence[int]) -> dict[int, TypicalCall]:
    """Return the typical call of each latency case that has a verified execution, by case id."""
    rows = answers.typical_executions(session, case_ids)
    return {row.case_id: _typical_call(row) for row in rows}


def typical_curve(session: Session, case: CaseSummary, typical: TypicalCall | None) -> int | None:
    """Return the id of the verified execution nearest to the case's median that has a curve."""
    if case.protocol == "latency":
        return typical.execution_id if typical and results.has_curve(session, typical.execution_id) else None
    median = case.summary.median_work_wall_ns if case.summary else None
    return None if median is None else repository.execution_with_curve_near(session, case.id, median)


def outlier_ids(session: Session, case_id: int) -> set[int]:
    """Return the ids of a case's executions that are far from its others; no figure leaves them out."""
    row = repository.find(session, case_id)
    headlines = repository.headlines(session, row.case) if row else {}
    return {one for one, far in zip(headlines, outliers(list(headlines.values())), strict=True) if far}


def _build_ids(session: Session, cases: CaseFilter) -> list[int] | None:
    """Return the run's builds of the filter's toolchain; None where the filter names none."""
    if cases.toolchain is None:
        return None
    found = builds.list_builds_of_run(session, cases.run_id)
    return [build.id for build in found if build_words(build.toolchain, build.cross_built) == cases.toolchain]


def _summary(row: CaseRow) -> CaseSummary:
    return CaseSummary.from_row(row.case, **_joined(row))


def _joined(row: CaseRow) -> dict[str, Any]:
    """Return the fields of a `CaseSummary` that its row does not have."""
    return {
        **results.case_fields(row.case, row.agent_name, row.build.toolchain, row.build.cross_built),
        "summary": CaseFigures.from_row(row.statistics) if row.statistics else None,
        "basis": cast(Any, row.basis),
        "vouched_by": vouched_by(
            ok=row.statistics.ok if row.statistics else 0,
            noop=row.case.operation == NOOP,
            encrypts=has_digest(row.case.operation) is not False,
            expected=row.vouched_by,
        ),
        "footprint": footprint_figures(row.footprint),
    }


def _typical_call(execution: Execution) -> TypicalCall:
    readings = execution.readings or {}
    absent = readings.get("absent") or {}
    counted, derived = readings.get("call_cycles"), readings.get("derived_call_cycles")
    reasons = [str(absent[name]) for name in ("call_cycles", "derived_call_cycles") if absent.get(name)]
    return TypicalCall(
        execution_id=execution.id,
        iterations=readings.get("iterations"),
        cycles=derived if counted is None else counted,
        cycles_basis="counted" if counted is not None else "derived" if derived is not None else "absent",
        cycles_reason="; ".join(reasons) or "no reason was recorded",
    )
