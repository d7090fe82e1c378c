"""Compression of responses."""

from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

MINIMUM_BYTES = 1024
LEVEL = 5
"""The page of 100 series, 75 kB: 12.4, 11.1, 10.6 and 10.1 kB at levels 1, 4, 5 and 9 in 0.2, 0.4, 0.5 and 1.0 ms;
a list of 500 cases, 529 kB: 57, 47, 43 and 41 kB in 1.3, 2.3, 2.6 and 5.6 ms (x86-64, 2026-11)."""
NOT_COMPRESSED = (
    *DEFAULT_EXCLUDED_CONTENT_TYPES,
    "application/octet-stream",  # chunks, whose bytes are requested in ranges
    "application/pdf",
    "application/vnd.apache.arrow.file",
    "application/vnd.apache.parquet",
    "text/x-shellscript",  # the join script, whose ETag is the hash of its bytes
)
"""Media types that are compressed already, are delivered piece by piece, or are verified by their bytes."""


class Compression(GZipMiddleware):
    """ASGI middleware that compresses long responses to GET.

    Those to other methods are never compressed: each response with a secret (a new token, an invitation, a login code)
    is one of them, and their length must not depend on how similar the secret is to a text of the request (BREACH).
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        super().__init__(app, MINIMUM_BYTES, LEVEL, exclude_content_types=NOT_COMPRESSED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application; with a `send` that compresses where it may."""
        if scope["type"] == "http" and scope["method"] == "GET":
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)
