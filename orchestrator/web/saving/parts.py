"""Requests of this application to itself for the parts of a page."""

from collections.abc import Mapping
from typing import Self

import httpx
from fastapi import Request


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
            raise PartRefused(response)
        return response.text
