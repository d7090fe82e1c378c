"""Compression of responses: what is compressed, and that no part of a response waits for the next one."""

import asyncio
import zlib
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from orchestrator.service.server.compression import MINIMUM_BYTES, Compression

PIECE = b"a line of text\n" * 200
GENEROUS_SECONDS = 10


def respond(
    media_type: str, pieces: Sequence[bytes], *, method: str = "GET", accepted: str = "gzip", status: int = 200
) -> tuple[dict[str, str], list[bytes]]:
    """Return headers and body messages of an application that sends each piece after the client has the one before."""
    sent: list[Message] = []
    received = asyncio.Event()

    async def _application(_scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-type", media_type.encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for number, piece in enumerate(pieces, start=1):
            received.clear()
            await send({"type": "http.response.body", "body": piece, "more_body": number < len(pieces)})
            await asyncio.wait_for(received.wait(), GENEROUS_SECONDS)

    async def _send(message: Message) -> None:
        sent.append(message)
        if message["type"] == "http.response.body" and message["body"]:
            received.set()

    async def _receive() -> Message:
        raise AssertionError("the application reads no body")

    scope: dict[str, Any] = {
        "type": "http", "method": method, "headers": [(b"accept-encoding", accepted.encode())],
    }  # fmt: skip
    asyncio.run(Compression(_application)(scope, _receive, _send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return headers, [message["body"] for message in sent[1:]]


@pytest.mark.parametrize(
    "media_type", ["text/html; charset=utf-8", "application/json", "text/csv; charset=utf-8", "image/svg+xml"]
)
def test_long_text_is_compressed(media_type: str) -> None:
    headers, parts = respond(media_type, [PIECE])
    assert (headers["content-encoding"], headers["vary"]) == ("gzip", "Accept-Encoding")
    assert zlib.decompress(b"".join(parts), wbits=31) == PIECE
    assert int(headers["content-length"]) == len(parts[0]) < len(PIECE)


def test_each_piece_of_an_export_is_sent_before_the_next_is_made() -> None:
    headers, parts = respond("text/csv; charset=utf-8", [PIECE] * 3)
    reader = zlib.decompressobj(wbits=31)
    assert [reader.decompress(part) for part in parts] == [PIECE] * 3
    assert "content-length" not in headers


@pytest.mark.parametrize(
    "media_type",
    [
        "text/event-stream; charset=utf-8", "application/octet-stream", "application/vnd.apache.parquet",
        "application/vnd.apache.arrow.file", "application/pdf", "application/zip", "application/gzip", "image/png",
        "text/x-shellscript; charset=utf-8",
    ],
)  # fmt: skip
def test_streams_and_compressed_files_are_sent_as_they_are(media_type: str) -> None:
    headers, parts = respond(media_type, [PIECE, b"short", PIECE])
    assert "content-encoding" not in headers
    assert parts == [PIECE, b"short", PIECE]


@pytest.mark.parametrize(
    ("pieces", "how"),
    [
        ([b"x" * (MINIMUM_BYTES - 1)], {}),
        ([PIECE], {"accepted": "identity"}),
        ([PIECE], {"method": "POST"}),
        ([PIECE], {"status": 206}),
    ],
    ids=["short", "not accepted", "to a post", "part of a file"],
)
def test_response_is_sent_as_it_is(pieces: list[bytes], how: dict[str, Any]) -> None:
    headers, parts = respond("text/html; charset=utf-8", pieces, **how)
    assert "content-encoding" not in headers
    assert parts == pieces
