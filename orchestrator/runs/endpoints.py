"""/api/v1/plans, /api/v1/runs, /api/v1/jobs, /api/v1/events."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Depends, Header, Query, Request, Response, status
from sse_starlette import EventSourceResponse

from orchestrator.runs import service, submission
from orchestrator.runs.deletion import service as deletion
from orchestrator.runs.jobs import service as jobs
from orchestrator.runs.planning.editing.names import plan_keys
from orchestrator.runs.planning.repository import read_offers
from orchestrator.runs.progress.service import READER
from orchestrator.runs.repository import require_run
from orchestrator.runs.schemas import (
    JobSummary,
    OmissionSummary,
    PlanKeySummary,
    PlanPreview,
    RunChange,
    RunDetail,
    RunRequest,
    RunSummary,
)
from orchestrator.runs.selection import RunSelection
from orchestrator.runs.slots import PlanningSlotsDep
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery, SettingsDep, kept_with_application
from orchestrator.service.events.hub import Hub
from orchestrator.service.events.response import EventStream, Listener
from orchestrator.service.events.stream import has_received_everything
from orchestrator.service.pagination import Page
from orchestrator.service.security.bodies import PLAN_LIMIT, body_limit
from orchestrator.service.security.dependencies import AgentDep, RowId, RunId, SubmitterDep, ViewerDep
from orchestrator.service.security.guard import owner_of, permitted
from orchestrator.service.security.routing import api_router
from orchestrator.shared.errors import Conflict
from orchestrator.shared.free_space import shortage
from orchestrator.shared.values.parameters import TypedText, WholeNumber
from orchestrator.shared.values.text import worded
from orchestrator.wire.jobs import Claim, ClaimGranted, Release

router = api_router(tags=["runs"])

LastEventId = Annotated[WholeNumber | None, Header(alias="Last-Event-ID", ge=0, lt=2**63)]
IdempotencyKeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=worded(r"^[!-~]([ -~]{0,253}[!-~])?$", "1 to 255 printable ASCII characters, no space at the ends"),
        description="Repeating a request with the same key and plan returns the same run.",
    ),
]

HubDep = Annotated[Hub, Depends(kept_with_application(lambda database, _settings: Hub(database, READER, permitted)))]

EVENT_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}
}


@dataclass(frozen=True)
class RunQuery(RunSelection):
    """Selection of runs as a query."""

    text: Annotated[
        TypedText | None,
        Query(alias="q", max_length=80, description="Part of the name, description or a tag, or the id."),
    ] = None


@router.post("/plans/preview")
@body_limit(PLAN_LIMIT)
def preview_plan(
    body: RunRequest, database: DatabaseDep, settings: SettingsDep, slots: PlanningSlotsDep, _caller: ViewerDep
) -> PlanPreview:
    """Validate a plan and return its cases, omissions, duration and expected precision; nothing is stored."""
    with slots.taken():
        return submission.preview(database, settings, body)


@router.get("/plans/keys")
def list_plan_keys(database: DatabaseDep, _caller: ViewerDep) -> list[PlanKeySummary]:
    """List the keys of plans, with the names that agents, corpus and languages offer as their values now."""
    with database.read() as session:
        return plan_keys(*read_offers(session))


@router.post("/runs", status_code=status.HTTP_201_CREATED, responses={200: {"model": RunDetail}})
@body_limit(PLAN_LIMIT)
def submit_run(
    *,
    body: RunRequest,
    response: Response,
    database: DatabaseDep,
    settings: SettingsDep,
    slots: PlanningSlotsDep,
    caller: SubmitterDep,
    key: IdempotencyKeyHeader = None,
) -> RunDetail:
    """Submit a plan. 201 for a new run; 200 for the run that this Idempotency-Key created before."""
    with slots.taken():
        submitted = submission.submit(database, settings, body, caller, key)
    response.status_code = status.HTTP_201_CREATED if submitted.created else status.HTTP_200_OK
    response.headers["Location"] = f"/api/v1/runs/{submitted.run_id}"
    return service.get_run(database, submitted.run_id)


@router.get("/runs")
def list_runs(
    database: DatabaseDep,
    _caller: ViewerDep,
    selection: Annotated[RunQuery, Depends()],
    cursor: CursorQuery = None,
    limit: LimitQuery = 50,
) -> Page[RunSummary]:
    """List runs, newest first. Archived runs are left out unless `archived` is `include` or `only`."""
    return service.list_runs(database, selection, cursor, limit)


@router.get("/runs/{run_id}")
def get_run(run_id: RunId, database: DatabaseDep, _caller: ViewerDep) -> RunDetail:
    """Get a run with its progress."""
    return service.get_run(database, run_id)


@router.patch("/runs/{run_id}")
def change_run(run_id: RunId, body: RunChange, database: DatabaseDep, caller: SubmitterDep) -> RunDetail:
    """Change the tags of a run, or archive an ended one. A submitter changes its own runs, an admin any."""
    return service.change_run(database, caller, run_id, body)


@router.post("/runs/{run_id}/cancel")
def cancel_run(run_id: RunId, database: DatabaseDep, caller: SubmitterDep) -> RunDetail:
    """Cancel a run. An agent that executes it stops the runner at its next heartbeat, within seconds."""
    return service.cancel(database, caller, run_id)


@router.post("/runs/{run_id}/pause")
def pause_run(run_id: RunId, database: DatabaseDep, caller: SubmitterDep) -> RunDetail:
    """Pause a run. Agents stop between two executions."""
    return service.pause(database, caller, run_id)


@router.post("/runs/{run_id}/resume")
def resume_run(run_id: RunId, database: DatabaseDep, caller: SubmitterDep) -> RunDetail:
    """Resume a paused, cancelled or failed run. Only executions without a record are made."""
    return service.resume(database, caller, run_id)


@router.delete("/runs/{run_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_run(run_id: RunId, database: DatabaseDep, caller: SubmitterDep) -> None:
    """Delete an ended run with its results; a row with its name, state and counts stays. 409 before its end.

    A submitter deletes its own runs, an admin any.
    """
    deletion.request(database, caller, run_id)


@router.get("/runs/{run_id}/omissions")
def list_omissions(
    run_id: RunId, database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 100
) -> Page[OmissionSummary]:
    """List the combinations of the plan that the agents cannot execute, with reasons."""
    with database.read() as session:
        require_run(session, run_id)
        return service.list_omissions(session, run_id, cursor, limit)


@router.get("/runs/{run_id}/jobs")
def list_jobs(
    run_id: RunId,
    database: DatabaseDep,
    _caller: ViewerDep,
    state: Literal["planned", "waiting", "sent", "running", "done", "cancelled", "lost"] | None = None,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[JobSummary]:
    """List the jobs of a run."""
    return service.list_jobs(database, run_id, state, cursor, limit)


@router.get("/runs/{run_id}/events", response_class=EventSourceResponse, responses=EVENT_STREAM)
def listen_to_run(
    *,
    run_id: RunId,
    request: Request,
    database: DatabaseDep,
    hub: HubDep,
    caller: ViewerDep,
    last_event_id: LastEventId = None,
) -> Response:
    """Stream the events of a run, after its present state; the stream ends with the run."""
    with database.read() as session:
        require_run(session, run_id)  # Answers 404 before a stream starts.
        if has_received_everything(session, READER, run_id, last_event_id):
            # After 204, a browser's EventSource does not reconnect.
            return Response(status_code=status.HTTP_204_NO_CONTENT)
    return EventStream(hub, Listener(run_id, last_event_id, owner_of(caller, request), caller))


@router.get("/events", response_class=EventSourceResponse, responses=EVENT_STREAM)
def listen_to_all(request: Request, hub: HubDep, caller: ViewerDep, last_event_id: LastEventId = None) -> Response:
    """Stream the events of all runs from now on, or after Last-Event-ID."""
    return EventStream(hub, Listener(None, last_event_id, owner_of(caller, request), caller))


@router.post("/jobs/{job_id}/claim", tags=["jobs"])
def claim_job(
    job_id: RowId, body: Claim, database: DatabaseDep, settings: SettingsDep, caller: AgentDep
) -> ClaimGranted:
    """Claim a job before its first execution. 409 with the fact `state` if the job must not start."""
    lack = shortage(settings.data_folder, settings.min_free_mib)
    if lack is not None:
        raise Conflict(f"The service takes no new work: {lack}", remedy="The job is sent again.", state="paused")
    return jobs.claim(database, caller.own_agent_id, job_id, body.session_id)


@router.post("/jobs/{job_id}/release", status_code=status.HTTP_204_NO_CONTENT, tags=["jobs"])
def release_job(job_id: RowId, body: Release, database: DatabaseDep, caller: AgentDep) -> None:
    """Release a job that the daemon stopped without a crash; it waits for dispatch again."""
    jobs.release(database, caller.own_agent_id, job_id, body.session_id)
