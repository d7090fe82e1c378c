"""Executions of runs with their curves and timings, for the API and the pages."""

from collections.abc import Mapping
from typing import Any, cast

from sqlalchemy.orm import Session

from orchestrator.database import curves, timings
from orchestrator.database.models import Case, Curve, Execution, Timings
from orchestrator.results import repository
from orchestrator.results.case_statistics import throughput
from orchestrator.results.digests import repository as digest_repository
from orchestrator.results.digests.verdicts import vouched_by
from orchestrator.results.repository import SHOWN_FIRST, ExecutionRow
from orchestrator.results.schemas import (
    PHASE_READINGS,
    CurveDetail,
    EarlierAttempt,
    ExecutionDetail,
    ExecutionSummary,
    PhaseDetail,
    ReadingDetail,
    TimingsDetail,
    Verification,
)
from orchestrator.service.pagination import Page, decode_cursor, page_of
from orchestrator.shared.errors import NotFound
from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import phases_of
from orchestrator.wire.metrics.phases import metric_of

_NOT_READINGS = frozenset({"absent", "disturbances", "provenance"})


def list_executions(
    session: Session, run_id: str, state: str | None, cursor: str | None, limit: int, *, case_id: int | None = None
) -> Page[ExecutionSummary]:
    """Return a page of the executions of a run, or of one of its cases: wrong and disputed ones first, then by id."""
    states = SHOWN_FIRST if state is None else (state,)
    after = cast(tuple[int, int] | None, decode_cursor(cursor, (int, int)))
    start, after_id = after or (0, 0)
    found: list[tuple[int, ExecutionRow]] = []
    for index in range(max(start, 0), len(states)):
        rest = limit + 1 - len(found)
        rows = repository.executions_in_state(session, run_id, states[index], after_id, rest, case_id=case_id)
        found += [(index, row) for row in rows]
        after_id = 0
        if len(found) > limit:
            break
    return page_of(
        found,
        limit,
        key=lambda one: (one[0], one[1].execution.id),
        show=lambda one: ExecutionSummary.from_row(one[1].execution, **_joined(one[1])),
    )


def list_executions_of_case(
    session: Session, case_id: int, offset: int, limit: int
) -> tuple[list[ExecutionSummary], int]:
    """Return a part of a case's executions in the order of their repetition, and their number."""
    rows, total = repository.executions_of_case(session, case_id, offset, limit)
    return [ExecutionSummary.from_row(row.execution, **_joined(row)) for row in rows], total


def get_execution(session: Session, execution_id: int) -> ExecutionDetail:
    """Return one execution with all its readings; raises NotFound."""
    row = _execution(session, execution_id)
    execution, case = row.execution, row.case
    pair = (case.algorithm, case.input_sha256 or "")
    expected = digest_repository.expectations(session, [pair]).get(pair)
    own = digest_repository.service_digest(session, pair)
    has_curve = repository.has_curve(session, execution_id)
    has_timings = repository.has_timings(session, execution_id)
    document = execution.readings or {}
    return ExecutionDetail.from_row(
        execution,
        **_joined(row),
        readings=_readings(document),
        disturbances=list(document.get("disturbances", ())),
        earlier_attempts=[
            EarlierAttempt(started_at=one["started_at"], error=one["failure"]["error"], detail=one["failure"]["detail"])
            for one in execution.earlier_attempts or ()
        ],
        verification=Verification(
            expected_sha256=expected.output_sha256 if expected else None,
            basis=cast(Any, expected.basis) if expected else "none",
            vouched_by=vouched_by(
                ok=execution.state == "ok",
                noop=case.operation == NOOP,
                encrypts=execution.output_sha256 is not None,
                expected=expected.vouched_by if expected else None,
            ),
            detail=expected.detail if expected else "No reference for this input exists yet.",
            service_reason=own.reason or None if own else None,
        ),
        has_curve=has_curve,
        has_timings=has_timings,
    )


def get_curve(session: Session, execution_id: int) -> CurveDetail:
    """Return the samples of one execution; raises NotFound for an unknown execution or one without a curve."""
    execution = _execution(session, execution_id).execution
    stored = session.get(Curve, execution_id)
    if stored is None:
        raise NotFound(
            f"Execution {execution_id} has no curve: it is {execution.state}, and the monitor took no sample.",
            remedy="Measure a longer input: executions shorter than the sampling interval have no curve.",
        )
    columns = curves.decode(stored.columns).model_dump(exclude={"source"})
    return CurveDetail(execution_id=execution_id, source=stored.source, **columns)


def get_timings(session: Session, execution_id: int) -> TimingsDetail:
    """Return the timings of one execution; raises NotFound for an unknown execution or one without timings."""
    row = _execution(session, execution_id)
    execution, case = row.execution, row.case
    stored = session.get(Timings, execution_id)
    if stored is None:
        raise NotFound(
            f"Execution {execution_id} has no timings: it is {execution.state}, its protocol is {case.protocol}.",
            remedy="Choose an ok execution of the latency protocol.",
        )
    return TimingsDetail(execution_id=execution_id, **timings.decode(stored.columns).model_dump())


def _execution(session: Session, execution_id: int) -> ExecutionRow:
    found = repository.find_execution(session, execution_id)
    if found is None:
        raise NotFound(
            f"There is no execution {execution_id}.",
            remedy="List the executions of a run: GET /api/v1/runs/{run_id}/executions.",
        )
    return found


def _joined(row: ExecutionRow) -> dict[str, Any]:
    """Return the fields of an `ExecutionSummary` that its row does not have."""
    execution, case = row.execution, row.case
    return {
        **repository.case_fields(case, row.agent_name, row.toolchain, row.cross_built),
        "phases": _phases(execution, case),
        "pass_throughput_bytes_per_second": throughput(case.message_bytes, execution.work_wall_ns),
    }


def _phases(execution: Execution, case: Case) -> list[PhaseDetail]:
    readings, with_speed = execution.readings or {}, phases_of(case.message_operations)
    return [
        PhaseDetail(
            phase=phase,
            wall_ns=wall_ns,
            bytes_per_second=throughput(case.message_bytes, wall_ns) if phase in with_speed else None,
            **{name: readings.get(f"{phase}_{name}") for name in PHASE_READINGS},
        )
        for phase, wall_ns in (execution.phase_wall_ns or {}).items()
    ]


def _readings(document: Mapping[str, Any]) -> list[ReadingDetail]:
    absent, provenance = document.get("absent", {}), document.get("provenance", {})
    answers = []
    for name in sorted({*document, *absent} - _NOT_READINGS):
        metric = metric_of(name)
        answers.append(
            ReadingDetail(
                name=name,
                value=document.get(name),
                unit=metric.unit if metric else "",
                source=provenance.get(name) or (metric.source if metric else ""),
                resolution=metric.resolution if metric else "",
                help=metric.help if metric else "",
                reason=absent.get(name),
            )
        )
    return answers
