"""``/api/v1/records``, ``/api/v1/executions``, and the answers, charts and exports of runs."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Query
from fastapi.responses import StreamingResponse

from orchestrator.results import ingest, service
from orchestrator.results.answers import service as answers
from orchestrator.results.answers.by_length import service as by_length
from orchestrator.results.answers.by_length.schemas import LatencyChart, ThroughputChart
from orchestrator.results.answers.decision.constraints import NO_CONSTRAINTS, Constraints
from orchestrator.results.answers.decision.question import DisturbedQuery, Question
from orchestrator.results.answers.masking import service as masking
from orchestrator.results.answers.masking.schemas import MaskingAnswer
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.answers.scaling import service as scaling
from orchestrator.results.answers.scaling.schemas import ScalingAnswer
from orchestrator.results.export import rows as export
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.measures import RankingMeasure
from orchestrator.results.schemas import (
    MAX_ALGORITHMS,
    CurveDetail,
    ExecutionDetail,
    ExecutionSummary,
    Measure,
    RunAnswer,
    TimingsDetail,
)
from orchestrator.runs.repository import require_run
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery, SettingsDep, kept_with_application
from orchestrator.service.pagination import Page
from orchestrator.service.security.bodies import RECORDS_LIMIT, body_limit
from orchestrator.service.security.dependencies import AgentDep, RowId, RowIdQuery, RunId, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.exporters import exporter
from orchestrator.shared.values.parameters import SearchText, WholeNumber
from orchestrator.wire.base import AlgorithmId
from orchestrator.wire.messages import MAX_SHARES, MIN_SHARES
from orchestrator.wire.records import RecordBatch, RecordBatchResponse

router = api_router(tags=["results"])

ConstraintsDep = Annotated[Constraints, Depends()]
State = Literal["wrong", "disputed", "failed", "skipped", "ok", "waiting"]
ReadingsCacheDep = Annotated[
    ReadingsCache, Depends(kept_with_application(lambda _database, _settings: ReadingsCache()))
]


@router.post("/records")
@body_limit(RECORDS_LIMIT)
def post_records(batch: RecordBatch, database: DatabaseDep, caller: AgentDep) -> RecordBatchResponse:
    """Store finished executions. The first record of an execution wins; rejected records are listed with reasons."""
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
    with database.read() as session:
        require_run(session, run_id)
        return service.list_executions(session, run_id, state, cursor, limit, case_id=case_id)


@router.get("/executions/{execution_id}")
def get_execution(execution_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> ExecutionDetail:
    """Get one execution with every reading, its unit, and the reason for each null."""
    with database.read() as session:
        return service.get_execution(session, execution_id)


@router.get("/executions/{execution_id}/curve")
def get_curve(execution_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> CurveDetail:
    """Get memory, CPU time and threads during one execution."""
    with database.read() as session:
        return service.get_curve(session, execution_id)


@router.get("/executions/{execution_id}/timings")
def get_timings(execution_id: RowId, database: DatabaseDep, _caller: ViewerDep) -> TimingsDetail:
    """Get every timing of one latency execution: calls, wall time, CPU time, cycles."""
    with database.read() as session:
        return service.get_timings(session, execution_id)


@dataclass(frozen=True)
class AnswerQuery(Question):
    """Question of an answer as a query."""

    constraints: ConstraintsDep = NO_CONSTRAINTS
    algorithms: Annotated[
        frozenset[AlgorithmId],
        Query(
            alias="algorithm",
            max_length=MAX_ALGORITHMS,
            description="Only candidates of these algorithms; default: all.",
        ),
    ] = frozenset()


@router.get("/runs/{run_id}/answer")
def get_answer(
    *,
    run_id: RunId,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    question: Annotated[AnswerQuery, Depends()],
) -> RunAnswer:
    """Get the ranking of implementations on each agent by any measure, with intervals and ties.

    Constraints exclude candidates, each with its reasons. A second measure adds the Pareto front of both. Algorithms
    restrict the question: ranks, ties and the correction (Holm) cover the candidates of these algorithms only.
    """
    with snapshot_of(database, run_id) as seen:
        facts = answers.read_answer(seen, cache, question)
    return facts.compute(database)


@router.get("/runs/{run_id}/throughput")
def get_throughput(
    *,
    run_id: RunId,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    measure: Annotated[RankingMeasure, Query(description="pass, or an operation of a process.")] = "encrypt",
    kind: Annotated[SearchText | None, Query(max_length=80, description="Only chunks of this kind.")] = None,
) -> ThroughputChart:
    """Get median throughput by chunk length, kinds pooled, and its ratio to the fastest one, paired by block."""
    return by_length.get_throughput(database, cache, run_id, measure, kind)


@router.get("/runs/{run_id}/latency")
def get_latency(run_id: RunId, database: DatabaseDep, cache: ReadingsCacheDep, _caller: ViewerDep) -> LatencyChart:
    """Get the median time of one call by message length, fills pooled, and its ratio to that of a base toolchain.

    The ratio is paired by block. The base of an algorithm is its first GCC, else the first of its toolchains.
    """
    return by_length.get_latency(database, cache, run_id)


@router.get("/runs/{run_id}/scaling")
def get_scaling(
    *,
    run_id: RunId,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    _caller: ViewerDep,
    measure: Annotated[
        Measure | None, Query(description="Default: pass, which includes start-up, or call for a run without chunks.")
    ] = None,
    disturbed: DisturbedQuery = "include",
) -> ScalingAnswer:
    """Get start-up and cost per byte: a line through at least 3 input lengths, and whether it fits."""
    with snapshot_of(database, run_id) as seen:
        compute = scaling.read_scaling(seen, cache, measure, with_disturbed=disturbed == "include")
    return compute()


@router.get("/runs/{run_id}/masking")
def get_masking(
    *,
    run_id: RunId,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    settings: SettingsDep,
    _caller: ViewerDep,
    shares: Annotated[
        WholeNumber | None,
        Query(ge=MIN_SHARES, le=MAX_SHARES, description="Number of shares. Default: 4, or the lowest of the run."),
    ] = None,
    generator: Annotated[
        SearchText | None, Query(max_length=16, description="Only this random generator. Default: all.")
    ] = None,
    disturbed: DisturbedQuery = "include",
) -> MaskingAnswer:
    """Get the overhead of masking, e128 + d128 + 3·e16 + 3·d16 masked / unmasked, and how the order of rows changes."""
    folder, with_disturbed = settings.cache_folder, disturbed == "include"
    with snapshot_of(database, run_id) as seen:
        compute = masking.read_masking(
            seen, cache, shares, generator, cache_folder=folder, with_disturbed=with_disturbed
        )
    return compute()


@router.get("/runs/{run_id}/export", response_class=StreamingResponse)
def export_run(
    run_id: RunId,
    database: DatabaseDep,
    _caller: ViewerDep,
    export_format: Annotated[str, Query(alias="format", max_length=16)] = "csv",
    column: Annotated[
        list[SearchText] | None, Query(max_length=200, description="Only these columns, in this order; default: all.")
    ] = None,
) -> StreamingResponse:
    """Download every execution of a run as a file. Column names carry units; absent values have reasons.

    Formats: csv, jsonl, md, tex; parquet and arrow where pyarrow is installed, with units and descriptions in the
    metadata of the columns and each text stored once.
    """
    chosen = exporter(export_format)
    found = export.rows_of_run(database, run_id, column or ())
    return StreamingResponse(
        _begun(chosen.stream(found.columns, found.rows, found.facts)),
        media_type=chosen.MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="ciphermark-{run_id}.{chosen.NAME}"'},
    )


def _begun(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Return the blocks after the first was made, so that an error at the beginning is answered as a problem.

    A later error aborts the connection, which a client notices by the missing end of the body.
    """
    first = next(blocks, b"")
    return itertools.chain((first,), blocks)
