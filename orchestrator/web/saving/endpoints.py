"""``/api/v1/page-file``: a page of the dashboard as one file."""

import re
from datetime import UTC, datetime
from typing import Annotated

import httpx
from fastapi import Query, Request, Response

from orchestrator import __version__
from orchestrator.service.dependencies import SettingsDep
from orchestrator.service.security.dependencies import ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.service.server.admission import never_refused
from orchestrator.shared.errors import InvalidRequest
from orchestrator.web import formats
from orchestrator.web.saving.page_file import page_file

# Not named `router`, which the dashboard would mount with its pages.
api = api_router(tags=["pages"])

_SAVABLE = re.compile(
    r"/(?P<page>runs/(?P<run>[A-Za-z0-9_-]{1,40})|(?P<comparison>compare)|papers/(?P<paper>[a-z0-9-]{1,60}))(\?[!-~]*)?"
)
_CREDENTIALS = ("authorization", "cookie")


class _PartRefused(Exception):
    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.status_code)
        self.response = response


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
            description="Path and query of the page of a run or paper, or of a comparison.",
            examples=["/runs/k3v9x0q2m7ab?measure=decrypt"],
        ),
    ],
) -> Response:
    """Download a page as one HTML file with its charts and their data, which opens without a network."""
    savable = _SAVABLE.fullmatch(address)
    if savable is None:
        raise InvalidRequest(
            f"{address[:80]!r} is not the address of a page that can be saved.",
            remedy="Give that of a run (/runs/ID), a comparison (/compare?run=ID&run=ID) or a paper (/papers/NAME).",
            field="address",
        )
    moment = formats.moment(datetime.now(UTC))
    note = f"Saved from the page {savable['page']} of a Ciphermark service, version {__version__}, on {moment}."
    async with _Parts(request) as parts:
        try:
            text = await page_file(parts.read, address, note, settings.cache_folder)
        except _PartRefused as refused:
            found = refused.response
            return Response(found.content, found.status_code, media_type=found.headers.get("content-type"))
    name = "-".join(word for word in ("ciphermark", *savable.group("run", "comparison", "paper")) if word)
    headers = {"Content-Disposition": f'attachment; filename="{name}.html"', "X-Content-Type-Options": "nosniff"}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


class _Parts:
    """Requests of the same caller to this application for the parts of a page; each takes its own place."""

    def __init__(self, request: Request) -> None:
        sender = (request.client.host, request.client.port) if request.client else ("", 0)
        transport = httpx.ASGITransport(request.app, client=sender)
        headers = {name: request.headers[name] for name in _CREDENTIALS if name in request.headers}
        self._client = httpx.AsyncClient(transport=transport, base_url=str(request.base_url), headers=headers)

    async def __aenter__(self) -> "_Parts":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def read(self, address: str) -> str:
        """Return the text at an address; raises _PartRefused."""
        response = await self._client.get(address, timeout=None)
        if response.status_code != httpx.codes.OK:
            raise _PartRefused(response)
        return response.text
