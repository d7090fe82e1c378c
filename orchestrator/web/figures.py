"""The charts of the pages, as specifications for the browser and as pictures for whoever runs no scripts."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import JSONResponse

from orchestrator.database.models import now
from orchestrator.dependencies import DatabaseDep
from orchestrator.results import service as results
from orchestrator.results.answers import by_length as result_charts
from orchestrator.results.answers import by_length as run_charts
from orchestrator.results.answers.scaling import show_scaling
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.security.dependencies import AgentId, RowId, RunId
from orchestrator.security.guard import requires
from orchestrator.web.agents import health as agent_health
from orchestrator.web.charts import (
    calls,
    health,
    latency,
    memory,
    points,
    relative,
    scaling,
    sensors,
    theme,
    throughput,
    timings,
    toolchains,
)
from orchestrator.web.charts.panels import Mark
from orchestrator.web.charts.points import Point
from orchestrator.web.rendering import HEADERS
from orchestrator.web.repository import CaseFilter
from orchestrator.web.runs import execution

router = APIRouter(include_in_schema=False, dependencies=[Depends(requires("viewer"))])

Format = Literal["json", "svg"]
Choice = Annotated[str, Query(max_length=80)]


def run_points(
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: RunId,
    *,
    agent: Choice = "",
    kind: Choice = "",
    measure: Choice = "encrypt",
) -> list[Point]:
    """Return what the charts of throughput draw; without a kind, all kinds together."""
    wanted = points.throughput_of(measure)
    if not kind:
        return points.pooled(result_charts.show_throughput(database, cache, run_id, wanted), agent or None)
    with database.read() as session:
        return points.of_kind(session, CaseFilter(run_id, agent_id=agent or None, kind=kind), wanted)


def run_calls(
    database: DatabaseDep, cache: ReadingsCacheDep, run_id: RunId, *, agent: Choice = "", algorithm: Choice = ""
) -> list[Mark]:
    """Return what the charts of calls draw; without an algorithm, all of them."""
    return calls.of_run(run_charts.show_latency(database, cache, run_id), agent or None, algorithm or None)


PointsDep = Annotated[list[Point], Depends(run_points)]
CallsDep = Annotated[list[Mark], Depends(run_calls)]


@router.get("/runs/{run_id}/charts/throughput.{form}")
def throughput_chart(found: PointsDep, form: Format, measure: Choice = "encrypt") -> Response:
    """Draw median throughput by chunk length and algorithm, one panel a provider."""
    return _answer(throughput.spec(found, points.throughput_of(measure)), form)


@router.get("/runs/{run_id}/charts/relative.{form}")
def relative_chart(found: PointsDep, form: Format) -> Response:
    """Draw each provider relative to the fastest one of the same algorithm and length."""
    return _answer(relative.spec(found), form)


@router.get("/runs/{run_id}/charts/latency.{form}")
def latency_chart(found: CallsDep, form: Format) -> Response:
    """Draw the median time of one call by message length, one panel a kind of call."""
    return _answer(latency.spec(found), form)


@router.get("/runs/{run_id}/charts/scaling.{form}")
def scaling_chart(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: RunId,
    form: Format,
    measure: Choice = "",
    agent: Choice = "",
) -> Response:
    """Draw time by length of input with the fitted line, and the misses."""
    asked = points.measure_of(measure) if measure else None
    return _answer(scaling.spec(show_scaling(database, cache, run_id, asked), agent or None), form)


@router.get("/runs/{run_id}/charts/toolchains.{form}")
def toolchain_chart(found: CallsDep, form: Format) -> Response:
    """Draw each toolchain relative to one of them."""
    return _answer(toolchains.spec(found), form)


@router.get("/executions/{execution_id}/charts/timings.{form}")
def timings_chart(database: DatabaseDep, execution_id: RowId, form: Format) -> Response:
    """Draw the timings of a latency execution in their order."""
    return _answer(timings.spec(results.show_timings(database, execution_id)), form)


@router.get("/executions/{execution_id}/charts/memory.{form}")
def memory_chart(database: DatabaseDep, execution_id: RowId, form: Format) -> Response:
    """Draw the resident memory of an execution over time."""
    detail = results.show_execution(database, execution_id)
    curve = results.show_curve(database, execution_id)
    return _answer(memory.spec(curve, execution.spans(detail), detail.peak_rss_bytes), form)


@router.get("/agents/{agent_id}/charts/health.{form}")
def health_chart(database: DatabaseDep, agent_id: AgentId, form: Format) -> Response:
    """Draw an agent's checks over time: the control workload and the noise floor."""
    with database.read() as session:
        found = agent_health.check_points(session, agent_id)
    return _answer(health.spec(found), form)


@router.get("/agents/{agent_id}/charts/sensors.{form}")
def sensor_chart(database: DatabaseDep, agent_id: AgentId, form: Format) -> Response:
    """Draw what an agent's sensors read in the last day."""
    with database.read() as session:
        found = agent_health.sensor_points(session, agent_id, now())
    return _answer(sensors.spec(found), form)


def _answer(spec: theme.Spec, form: Format) -> Response:
    if form == "json":
        return JSONResponse(spec, headers=HEADERS)
    return Response(theme.svg(spec), media_type="image/svg+xml", headers=HEADERS)
