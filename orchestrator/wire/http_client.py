"""HTTP client that repeats a request which an overloaded service refused, when the service permits it (Retry-After)."""

import time
from http import HTTPStatus
from typing import Any

import httpx

MAX_ATTEMPTS = 4
MAX_PAUSE_SECONDS = 5
"""Longest pause before a repetition; a refusal with a longer one is returned to the caller."""

_REFUSED = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


def retry_after_seconds(response: httpx.Response) -> int | None:
    """Return the pause that the service requests before a repetition; None if it does not expect one."""
    text = response.headers.get("retry-after", "")
    is_number = text.isascii() and text.isdecimal() and len(text) < 10
    return int(text) if response.status_code in _REFUSED and is_number else None


class PatientClient(httpx.Client):
    """Client whose requests wait while the service is overloaded. Such a service refuses before it does anything."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request, and again after a refusal; a body that is generated while it is sent cannot be repeated."""
        for _ in range(MAX_ATTEMPTS - 1):
            response = super().send(request, **options)
            pause_seconds = retry_after_seconds(response)
            can_repeat = isinstance(request.stream, httpx.ByteStream)
            if pause_seconds is None or pause_seconds > MAX_PAUSE_SECONDS or not can_repeat:
                return response
            response.close()
            time.sleep(pause_seconds)
        return super().send(request, **options)
