"""Cases of the latency protocol and what was skipped, as views."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from orchestrator.database.models import Footprint
from orchestrator.results.schemas import FootprintFigures
from orchestrator.web import assemble, latency_repository
from orchestrator.web.latency_repository import TypicalExecution
from orchestrator.web.repository import CaseResult
from orchestrator.web.views import Interval, LatencyRow, ResultRow, SkippedGroup, TypicalCall

NO_FOOTPRINT = "the agent has not reported the sizes of this build"


def case_rows(session: Session, results: Sequence[CaseResult]) -> list[ResultRow] | list[LatencyRow]:
    """Return cases, all of one protocol, with their statistics."""
    if all(result.case.protocol == "process" for result in results):
        return [assemble.result_row(result) for result in results]
    typical = latency_repository.typical_executions(session, [result.case.id for result in results])
    return [_latency_row(result, typical.get(result.case.id)) for result in results]


def case_row(session: Session, result: CaseResult) -> ResultRow | LatencyRow:
    """Return one case with its statistics."""
    return case_rows(session, [result])[0]


def figures_of(footprint: Footprint | None) -> FootprintFigures:
    """Return the sizes of an implementation, or why there are none."""
    names = [name for name in FootprintFigures.model_fields if name != "reason"]
    if footprint is None:
        return FootprintFigures(**dict.fromkeys(names), reason=NO_FOOTPRINT)
    return FootprintFigures(**{name: getattr(footprint, name) for name in names}, reason=footprint.reason)


def skipped_groups(session: Session, run_id: str) -> list[SkippedGroup]:
    """Return what a run skipped, by agent, toolchain and reason."""
    return [
        SkippedGroup(
            agent=found.agent,
            toolchain=assemble.toolchain_text(found.toolchain),
            error=found.error or "skipped",
            detail=found.detail or "No reason was recorded.",
            cases=found.cases,
            executions=found.executions,
        )
        for found in latency_repository.skipped_cases(session, run_id)
    ]


def _latency_row(result: CaseResult, typical: TypicalExecution | None) -> LatencyRow:
    case, found = result.case, assemble.summary_of(result)
    return LatencyRow(
        **assemble.common_facts(result),
        operation=case.operation,
        key_setup=case.key_setup or "apart",
        associated_data_bytes=case.associated_data_bytes,
        fill=case.fill or "",
        key_fill=case.key_fill or "",
        call_wall_ns=Interval(
            median=found.median_call_wall_ns, low=found.low_call_wall_ns, high=found.high_call_wall_ns
        ),
        call_cpu_ns=found.median_call_cpu_ns,
        cold_call_wall_ns=found.median_cold_call_wall_ns,
        typical=_typical_call(typical) if typical else None,
        footprint=figures_of(result.footprint),
    )


def _typical_call(typical: TypicalExecution) -> TypicalCall:
    readings, absent = typical.readings, typical.readings.get("absent") or {}
    counted, derived = readings.get("call_cycles"), readings.get("derived_call_cycles")
    reasons = [str(absent[name]) for name in ("call_cycles", "derived_call_cycles") if absent.get(name)]
    return TypicalCall(
        execution_id=typical.execution_id,
        iterations=readings.get("iterations"),
        cycles=derived if counted is None else counted,
        cycles_basis="counted" if counted is not None else "derived" if derived is not None else "absent",
        cycles_reason="; ".join(reasons) or "no reason was recorded",
    )
