"""``/api/v1/records``, ``/api/v1/executions`` and what a run's executions amount to."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from orchestrator.dependencies import DatabaseDep, kept_with_application
from orchestrator.exporters import exporter
from orchestrator.pagination import CursorQuery, LimitQuery, Page
from orchestrator.results import exports, ingest, service
from orchestrator.results.answers import by_length, scaling
from orchestrator.results.answers.ranking import Question
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.answers.scaling_schemas import ScalingAnswer
from orchestrator.results.repository import ExecutionFilter
from orchestrator.results.schemas import (
    CurveDetail,
    ExecutionDetail,
    ExecutionSummary,
    LatencyChart,
    Measure,
    RunAnswer,
    ThroughputChart,
    TimingsDetail,
)
from orchestrator.security.dependencies import AgentDep, RowId, RowIdQuery, RunId, ViewerDep
from orchestrator.wire.messages import LatencyOperation
from orchestrator.wire.records import RecordBatch, RecordBatchResponse

router = APIRouter(tags=["results"])

LengthQuery = Annotated[int | None, Query(ge=0, le=2**30, description="Only chunks or messages of this length.")]
State = Literal["wrong", "disputed", "failed", "skipped", "ok", "waiting"]
ReadingsCacheDep = Annotated[
    ReadingsCache, Depends(kept_with_application(lambda database, _settings: ReadingsCache(database)))
]


@router.post("/records")
def post_records(batch: RecordBatch, database: DatabaseDep, caller: AgentDep) -> RecordBatchResponse:
    """Store finished executions; the first record of each one wins, and what cannot be right is named."""
    return ingest.store(database, caller.own_agent_id, batch)


@router.get("/runs/{run_id}/executions")
def list_executions(
    *,
    run_id: RunId,
    database: DatabaseDep,
    _caller: ViewerDep,
    state: State | None = None,
    case_id: RowIdQuery = None,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[ExecutionSummary]:
    """List the executions of a run, wrong and disputed ones first."""
    return service.list_executions(database, ExecutionFilter(run_id, case_id), state, cursor, limit)


@router.get("/executions/{execution_id}")
def get_execution(execution_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> ExecutionDetail:
    """Show one execution with every reading, its unit, and the reason of each that is null."""
    return service.show_execution(database, execution_id)


@router.get("/executions/{execution_id}/curve")
def get_curve(execution_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> CurveDetail:
    """Show memory, CPU time and threads over the time of one execution."""
    return service.show_curve(database, execution_id)


@router.get("/executions/{execution_id}/timings")
def get_timings(execution_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> TimingsDetail:
    """Show every timing of one latency execution: calls, wall time, CPU time, cycles."""
    return service.show_timings(database, execution_id)


@router.get("/runs/{run_id}/answer")
def get_answer(
    *,
    run_id: RunId,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    measure: Annotated[
        Measure | None, Query(description="By itself a run answers by encrypt where it has chunks, else by call.")
    ] = None,
    length_bytes: LengthQuery = None,
    operation: Annotated[LatencyOperation | None, Query(description="Only calls of this kind.")] = None,
    rows: Annotated[int, Query(ge=1, le=500)] = 20,
    disturbed: Annotated[Literal["include", "exclude"], Query(description="What was disturbed by others.")] = "include",
) -> RunAnswer:
    """Say which implementation is fastest on each agent, and how sure that is."""
    return service.show_answer(
        database,
        cache,
        run_id,
        Question(measure, length_bytes, operation, rows, with_disturbed=disturbed == "include"),
    )


@router.get("/runs/{run_id}/throughput")
def get_throughput(
    *,
    run_id: RunId,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    measure: Literal["encrypt", "pass"] = "encrypt",
    kind: Annotated[str | None, Query(max_length=80, description="Only chunks of this kind.")] = None,
) -> ThroughputChart:
    """Show median throughput with its interval by chunk length, kinds pooled."""
    return by_length.show_throughput(database, cache, run_id, measure, kind)


@router.get("/runs/{run_id}/latency")
def get_latency(run_id: RunId, database: DatabaseDep, cache: ReadingsCacheDep, _caller: ViewerDep) -> LatencyChart:
    """Show the median time of one call with its interval by message length, fills pooled."""
    return by_length.show_latency(database, cache, run_id)


@router.get("/runs/{run_id}/scaling")
def get_scaling(
    *,
    run_id: RunId,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    measure: Annotated[
        Measure | None, Query(description="By itself pass, which contains the start-up, or call without chunks.")
    ] = None,
    disturbed: Annotated[Literal["include", "exclude"], Query(description="What was disturbed by others.")] = "include",
) -> ScalingAnswer:
    """Tell start-up from cost per byte: a line over at least 3 lengths of input, and whether it fits."""
    return scaling.show_scaling(database, cache, run_id, measure, with_disturbed=disturbed == "include")


@router.get("/runs/{run_id}/export", response_class=StreamingResponse)
def export_run(
    run_id: RunId,
    database: DatabaseDep,
    _caller: ViewerDep,
    export_format: Annotated[str, Query(alias="format", max_length=16)] = "csv",
) -> StreamingResponse:
    """Send every execution of a run as a file; units are in the names, absent values come with their reason."""
    chosen = exporter(export_format)
    rows = exports.rows_of_run(database, run_id)
    return StreamingResponse(
        chosen.stream(exports.columns(), rows),
        media_type=chosen.MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="ciphermark-{run_id}.{chosen.NAME}"'},
    )
