"""A client waits for an overloaded service as long as the service requests, and no longer."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from orchestrator.wire.http_client import MAX_ATTEMPTS, PatientClient
from tests.support.forwarding_proxy import QuietHandler, serving


@contextmanager
def service(*responses: tuple[int, str | None]) -> Iterator[tuple[str, list[bytes]]]:
    """Serve these responses (status, Retry-After), the last one repeatedly; yield the URL and the received bodies."""
    waiting = list(responses)
    bodies: list[bytes] = []

    class Handler(QuietHandler):
        def answer(self, body: bytes) -> None:
            bodies.append(body)
            status, pause = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            self.send_response(status)
            if pause is not None:
                self.send_header("Retry-After", pause)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with serving(Handler) as url:
        yield url, bodies


@pytest.mark.parametrize("status", [429, 503])
def test_refused_request_is_repeated_with_its_body(status: int) -> None:
    with service((status, "0"), (status, "0"), (200, None)) as (url, bodies), PatientClient() as client:
        assert client.post(url, content=b"plan").status_code == 200
    assert bodies == [b"plan"] * 3


def test_refusals_are_returned_after_the_last_attempt() -> None:
    with service((503, "0")) as (url, bodies), PatientClient() as client:
        assert client.post(url, content=b"plan").status_code == 503
    assert len(bodies) == MAX_ATTEMPTS


@pytest.mark.parametrize(
    "response", [(503, None), (503, "3600"), (503, "Sun, 22 Nov 2026 12:00:00 GMT"), (500, "0"), (409, "0")]
)
def test_other_responses_are_returned_immediately(response: tuple[int, str | None]) -> None:
    with service(response) as (url, bodies), PatientClient() as client:
        assert client.post(url, content=b"plan").status_code == response[0]
    assert len(bodies) == 1


def test_generated_body_is_sent_once() -> None:
    def parts() -> Iterator[bytes]:
        yield b"plan"

    with service((503, "0"), (200, None)) as (url, bodies), PatientClient() as client:
        headers = {"Content-Length": "4"}
        assert client.post(url, content=parts(), headers=headers).status_code == 503
    assert bodies == [b"plan"]
