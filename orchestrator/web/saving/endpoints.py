"""``/api/v1/page-file`` and share links: a page of the dashboard as one file."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Self

import httpx
from fastapi import Query, Request, Response, status
from starlette.concurrency import run_in_threadpool

from orchestrator import __version__
from orchestrator.runs.repository import require_run
from orchestrator.service.dependencies import DatabaseDep, SettingsDep
from orchestrator.service.security import service
from orchestrator.service.security.dependencies import RunId, SubmitterDep, TokenId, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.service.security.schemas import ShareCreated, ShareRequest
from orchestrator.service.server.admission import RequestGate, never_refused
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.settings import ServiceSettings
from orchestrator.shared.values.parameters import ID_PATTERN
from orchestrator.web import formats
from orchestrator.web.routing import open_router
from orchestrator.web.saving.page_file import Frame, page_file


class PartRefused(Exception):
    """Response to the request for a part, which is no page."""

    def __init__(self, response: httpx.Response) -> None:
        """Keep the response."""
        super().__init__(response.status_code)
        self.response = response


class Parts:
    """Client of this application with given credentials; each of its requests takes a place of its own."""

    def __init__(self, request: Request, credentials: Mapping[str, str]) -> None:
        """Send requests as from the sender of this request.

        credentials: headers of a token or a session.
        """
        sender = (request.client.host, request.client.port) if request.client else ("", 0)
        transport = httpx.ASGITransport(request.app, client=sender)
        self._client = httpx.AsyncClient(transport=transport, base_url=str(request.base_url), headers=dict(credentials))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def read(self, address: str) -> str:
        """Return the text at an address; raises PartRefused."""
        response = await self._client.get(address, timeout=None)
        if response.status_code != httpx.codes.OK:
            # A page of a comparison shows its refusal; the API's clients expect a problem detail.
            raise PartRefused(await self._client.get(address, headers={"accept": "application/json"}, timeout=None))
        return response.text


# Not named `router`, which the dashboard would mount with its pages.
api = api_router(tags=["pages"])
router = open_router()

_SAVABLE = re.compile(
    r"/(?P<page>|runs/(?P<run>[A-Za-z0-9_-]{1,40})|(?P<comparison>compare)|papers/(?P<paper>[a-z0-9-]{1,60}))(\?[!-~]*)?"
)
_CREDENTIALS = ("authorization", "cookie")
_HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",  # the others are in the document, where files have them, too
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@api.get("/page-file", response_class=Response)
@never_refused
async def get_page_file(
    *,
    request: Request,
    settings: SettingsDep,
    _caller: ViewerDep,
    address: Annotated[
        str,
        Query(
            max_length=4000,
            description="Path and query of the page of a run or paper, of a comparison, or of the list of runs.",
            examples=["/runs/k3v9x0q2m7ab?measure=decrypt"],
        ),
    ],
    linked: Annotated[
        list[Annotated[str, Query(pattern=ID_PATTERN)]],
        Query(max_length=100, description="Runs whose pages are files next to this one, named `RUN.html`."),
    ] = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """Download a page as one HTML file with its charts and their data, which opens without a network."""
    savable = _SAVABLE.fullmatch(address)
    if savable is None:
        raise InvalidRequest(
            f"{address[:80]!r} is not the address of a page that can be saved.",
            remedy="Give that of a run (/runs/ID), a comparison (/compare?run=ID&run=ID), a paper (/papers/NAME) or /.",
            field="address",
        )
    name = "-".join(word for word in ("ciphermark", *savable.group("run", "comparison", "paper")) if word)
    credentials = {name: request.headers[name] for name in _CREDENTIALS if name in request.headers}
    files = {f"/runs/{run_id}": f"{run_id}.html" for run_id in linked}
    frame = _frame(f"the page {savable['page'] or 'of runs'}", settings, files)
    found = await _page(request, address, frame, credentials)
    if found.status_code == status.HTTP_200_OK:
        found.headers["Content-Disposition"] = f'attachment; filename="{name}.html"'
    return found


@api.post("/runs/{run_id}/shares", status_code=status.HTTP_201_CREATED)
def share_run(run_id: RunId, body: ShareRequest, database: DatabaseDep, caller: SubmitterDep) -> ShareCreated:
    """Create a link that shows the run, and nothing else, to everyone who has it, until it expires or is revoked."""
    caller.require_token("share runs", "ciphermark runs share")
    with database.read() as session:
        require_run(session, run_id)
    return service.create_share(database, caller, run_id, body)


@api.delete("/runs/{run_id}/shares/{token_id}", status_code=status.HTTP_204_NO_CONTENT)
def revoke_share(run_id: RunId, token_id: TokenId, database: DatabaseDep, caller: SubmitterDep) -> None:
    """Revoke a share link of the run."""
    service.revoke_share(database, caller, run_id, token_id)


@router.get("/shared/{link}")
@never_refused
async def open_share(request: Request, database: DatabaseDep, settings: SettingsDep, link: str) -> Response:
    """Show the run of a share link, as the page that a file would have."""
    gate: RequestGate = request.app.state.gate
    address = request.client.host if request.client else "local"
    # Guesses wait for each other; the parts of the page count for the link.
    async with gate.callers.taken(f"address {address}"), gate.entered(of_daemon=False):
        run_id = await run_in_threadpool(service.shared_run, database, link)
    frame = _frame(f"run {run_id}", settings, {})
    return await _page(request, f"/runs/{run_id}", frame, {"authorization": f"Bearer {link}"})


def _frame(what: str, settings: ServiceSettings, linked: Mapping[str, str]) -> Frame:
    moment = formats.moment(datetime.now(UTC))
    note = f"Saved from {what} of a Ciphermark service, version {__version__}, on {moment}."
    return Frame(note, linked, settings.cache_folder)


async def _page(request: Request, address: str, frame: Frame, credentials: Mapping[str, str]) -> Response:
    async with Parts(request, credentials) as parts:
        try:
            text = await page_file(parts.read, address, frame)
        except PartRefused as refused:
            found = refused.response
            return Response(found.content, found.status_code, media_type=found.headers.get("content-type"))
    return Response(text, media_type="text/html; charset=utf-8", headers=_HEADERS)
