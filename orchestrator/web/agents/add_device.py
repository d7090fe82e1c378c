"""The page that makes an invitation: the command with which a device joins."""

from typing import Any
from urllib.parse import parse_qs

from fastapi import Request, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from orchestrator.agents import invitations
from orchestrator.agents.schemas import InvitationRequest
from orchestrator.builds.downloads import DownloadShelf, DownloadShelfDep
from orchestrator.database.engine import Database
from orchestrator.service.dependencies import DatabaseDep, SettingsDep
from orchestrator.service.security.guard import identify
from orchestrator.shared.errors import CiphermarkError, Forbidden, InvalidRequest
from orchestrator.shared.settings import ServiceSettings
from orchestrator.shared.values.field_errors import field_errors
from orchestrator.web.rendering import html, page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/agents/add")
def add_device(request: Request, database: DatabaseDep) -> Response:
    """Show the form."""
    return page(request, "agents/add_device.html", _view(may_invite=_may_invite(request, database)))


@router.post("/agents/add")
async def invite_device(
    request: Request, database: DatabaseDep, settings: SettingsDep, shelf: DownloadShelfDep
) -> Response:
    """Make an invitation and show its command, once; requires an admin."""
    form = await request.body()
    # The first invitation waits for the wheel.
    return await run_in_threadpool(_invited, request, form, database, settings, shelf)


def _invited(
    request: Request, form: bytes, database: Database, settings: ServiceSettings, shelf: DownloadShelf
) -> Response:
    if not _may_invite(request, database):
        raise Forbidden("An invitation requires an admin.", remedy="Log in with the token of an admin.")
    values = {name: value[0].strip() for name, value in parse_qs(form.decode("utf-8", "replace")).items()}
    name, labels, systemd = values.get("name", ""), values.get("labels", ""), "systemd" in values
    view = _view(may_invite=True, name=name, labels=labels, systemd=systemd)
    try:
        invitation = invitations.invite(
            database, settings, shelf, str(request.base_url), _requested(name, labels, systemd)
        )
    except CiphermarkError as error:
        return html(request, "agents/add_device.html", error.status, view=view | {"refusal": str(error)})
    return page(request, "agents/add_device.html", view | {"invitation": invitation})


def _view(**facts: Any) -> dict[str, Any]:
    """Return the form with these values, and the invitation that it made or the reason against one."""
    return {"name": "", "labels": "", "systemd": False, "invitation": None, "refusal": ""} | facts


def _requested(name: str, labels: str, systemd: bool) -> InvitationRequest:
    """Return the invitation of the form's fields; raises InvalidRequest that names the first invalid field."""
    try:
        return InvitationRequest(name=name or None, labels=labels.split(), systemd=systemd)
    except ValidationError as error:
        fault = field_errors(error.errors())[0]
        raise InvalidRequest(
            f"{fault.field}: {fault.allowed} (seen: {fault.seen}).",
            remedy="Use letters, digits, dots, dashes and underscores.",
        ) from error


def _may_invite(request: Request, database: Database) -> bool:
    caller = identify(request, database)
    return caller is not None and caller.may("admin")
