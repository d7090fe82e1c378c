"""The pages, each with a JSON twin: ``?format=json``, or ``Accept: application/json``."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from orchestrator.dependencies import DatabaseDep, SettingsDep
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.security.dependencies import AgentId, RowId, RunId, ViewerDep
from orchestrator.security.guard import identify
from orchestrator.web import assets
from orchestrator.web.agents import agent, build
from orchestrator.web.charts import points
from orchestrator.web.rendering import HEADERS, PageRoute, page
from orchestrator.web.repository import CaseFilter
from orchestrator.web.runs import execution, run
from orchestrator.web.runs.run import ChartQuery, ResultQuery


def _note_rights(request: Request, database: DatabaseDep, _viewer: ViewerDep) -> None:
    """Let viewers in, and let the templates know whether this one may cancel, pause and resume."""
    caller = identify(request, database)
    request.state.may_write = caller is not None and caller.may("submitter")


router = APIRouter(include_in_schema=False, route_class=PageRoute, dependencies=[Depends(_note_rights)])
open_router = APIRouter(include_in_schema=False, route_class=PageRoute)
"""What a visitor needs before logging in."""

PageNumber = Annotated[int, Query(ge=1, le=1_000_000, alias="page")]
Choice = Annotated[str, Query(max_length=80)]


@router.get("/")
def run_list(request: Request, database: DatabaseDep, number: PageNumber = 1) -> Response:
    """All runs, the latest first, with their progress."""
    with database.read() as session:
        view = run.run_list(session, number)
    return page(request, "runs/runs.html", view)


ProtocolChoice = Literal["", "process", "latency"]


def case_filter(
    *,
    run_id: RunId,
    agent: Choice = "",
    provider: Choice = "",
    algorithm: Choice = "",
    toolchain: Annotated[str, Query(max_length=200)] = "",
    operation: Choice = "",
    kind: Choice = "",
    length: Annotated[str, Query(pattern=r"^\d{0,12}$")] = "",
) -> CaseFilter:
    """Read which cases of a run the table shall show; an empty value, as forms send it, means all."""
    return CaseFilter(
        run_id=run_id,
        agent_id=agent or None,
        provider=provider or None,
        algorithm=algorithm or None,
        toolchain=toolchain or None,
        operation=operation or None,
        kind=kind or None,
        length_bytes=int(length) if length else None,
    )


def result_query(
    *,
    cases: Annotated[CaseFilter, Depends(case_filter)],
    protocol: ProtocolChoice = "",
    sort: Choice = "",
    number: PageNumber = 1,
    measure: Choice = "",
    shown_kind: Annotated[str, Query(max_length=80, alias="input")] = "",
    shown_algorithm: Annotated[str, Query(max_length=80, alias="drawn")] = "",
    device: Choice = "",
) -> ResultQuery:
    """Read what a run's page shall show."""
    asked = points.measure_of(measure) if measure else None
    charts = ChartQuery(asked, shown_kind or None, shown_algorithm or None, device or None)
    return ResultQuery(cases, protocol or None, sort, number, charts)


@router.get("/runs/{run_id}")
def run_page(request: Request, database: DatabaseDep, query: Annotated[ResultQuery, Depends(result_query)]) -> Response:
    """One run: the answer first, then what went wrong, charts, results, omissions and devices."""
    with database.read() as session:
        view, understood = run.run_page(session, query)
    return page(request, "runs/run.html", view, asked=understood)


@router.get("/runs/{run_id}/answer")
def answer_page(
    request: Request, database: DatabaseDep, cache: ReadingsCacheDep, run_id: RunId, measure: Choice = ""
) -> Response:
    """Which one, and how sure: the run's page loads it, because a large run takes a moment to compare."""
    view = run.answer_page(database, cache, run_id, points.measure_of(measure) if measure else None)
    return page(request, "answers/answer.html", view)


@router.get("/runs/{run_id}/scaling")
def scaling_page(
    request: Request, database: DatabaseDep, cache: ReadingsCacheDep, run_id: RunId, measure: Choice = ""
) -> Response:
    """Start-up and cost per byte; the run's page loads it below its charts."""
    view = run.scaling_page(database, cache, run_id, points.measure_of(measure) if measure else None)
    return page(request, "answers/scaling.html", view)


@router.get("/cases/{case_id}")
def case_page(request: Request, database: DatabaseDep, case_id: RowId, number: PageNumber = 1) -> Response:
    """One case with its executions."""
    with database.read() as session:
        view = execution.case_page(session, case_id, number)
    return page(request, "executions/case.html", view)


@router.get("/executions/{execution_id}")
def execution_page(request: Request, database: DatabaseDep, execution_id: RowId) -> Response:
    """One execution with its curve, phases, readings and failure."""
    view = execution.execution_page(database, execution_id)
    return page(request, "executions/execution.html", view)


@router.get("/agents")
def agent_list(request: Request, database: DatabaseDep) -> Response:
    """All agents."""
    with database.read() as session:
        view = agent.agent_list(session)
    return page(request, "agents/agents.html", view)


@router.get("/agents/{agent_id}")
def agent_page(request: Request, database: DatabaseDep, agent_id: AgentId) -> Response:
    """One agent: inventory, builds, proofs, calibrations."""
    with database.read() as session:
        view = agent.agent_page(session, agent_id)
    return page(request, "agents/agent.html", view)


@router.get("/builds/{build_id}")
def build_page(request: Request, database: DatabaseDep, build_id: RowId, sort: Choice = "code") -> Response:
    """One build: how it was made, its programs, the size of each implementation, its proofs."""
    sorting = build.sorting_of(sort)
    with database.read() as session:
        view = build.build_page(session, build_id, sorting)
    return page(request, "agents/build.html", view, sorting=sorting)


@open_router.get("/static/{name}")
def static_file(request: Request, settings: SettingsDep, name: str) -> Response:
    """A style sheet, script or picture of ours, or the chart library."""
    asset = assets.find(name, settings.cache_folder)
    headers = HEADERS | {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
        "ETag": f'"{asset.digest[:32]}"',
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.compressed, media_type=asset.media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(asset.content, media_type=asset.media_type, headers=headers)
