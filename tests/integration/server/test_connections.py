"""Connections of the real server: heads and bodies have time limits, and too many connections are refused."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from orchestrator.service.server.admission import WorkSlots
from orchestrator.service.server.connections import ConnectionLimits
from tests.support.live_service import Served, serve
from tests.support.waiting import GENEROUS_SECONDS

LIMITS = ConnectionLimits(
    total=20, of_address=8, head_seconds=1.0, discard_seconds=1.0, discard_bytes=1_000_000, write_seconds=1.0
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("service"), connection_limits=LIMITS) as service:
        yield service


def connect(served: Served, data: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
    url = httpx.URL(served.url)
    connection = socket.create_connection((url.host, url.port or 80), 60, source_address=(address, 0))
    connection.sendall(data)
    return connection


def rest(connection: socket.socket) -> bytes:
    """Return what the service sends until it closes the connection."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        parts.append(b"<reset>")
    return b"".join(parts)


def send_repeatedly(connection: socket.socket, data: bytes) -> None:
    for _ in range(2000):
        connection.sendall(data)


def head(path: str, *lines: str) -> bytes:
    return "\r\n".join([f"POST /api/v1/{path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()


def status_of(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])


class TestTimes:
    def test_connection_that_sends_nothing_is_closed(self, served: Served) -> None:
        with connect(served) as connection:
            assert rest(connection) == b""

    @pytest.mark.parametrize("data", [b"G", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: y\r\n"])
    def test_half_a_head_is_refused_after_its_time(self, served: Served, data: bytes) -> None:
        # 1 200 half-sent requests stayed open.
        with connect(served, data) as connection:
            response = rest(connection)
        assert status_of(response) == 408
        problem = json.loads(response.partition(b"\r\n\r\n")[2])
        assert (problem["status"], problem["type"]) == (408, "/problems/request-timeout")
        assert b"Cache-Control: no-store" in response

    def test_half_of_a_second_head_is_refused_too(self, served: Served) -> None:
        request = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with connect(served, request + request[:20]) as connection:
            response = rest(connection)
        assert response.startswith(b"HTTP/1.1 200")
        assert b"HTTP/1.1 408" in response

    def test_rest_of_a_refused_body_is_awaited_for_a_time_only(self, served: Served) -> None:
        with connect(served, head("tokens", "Content-Length: 500", "Connection: close") + b"{") as connection:
            response = rest(connection)
        assert status_of(response) == 401
        assert b"<reset>" not in response

    def test_rest_of_a_refused_body_has_a_limited_length(self, served: Served) -> None:
        with (
            connect(served, head("tokens", "Content-Length: 100000000")) as connection,
            pytest.raises((ConnectionResetError, BrokenPipeError)),
        ):
            send_repeatedly(connection, b"x" * 100_000)

    def test_response_arrives_before_the_rest_of_the_body_is_sent(self, tmp_path: Path) -> None:
        request = head("tokens", "Content-Length: 900000", "Connection: close")
        patient = replace(LIMITS, discard_seconds=GENEROUS_SECONDS)
        with serve(tmp_path, connection_limits=patient) as served, connect(served, request) as connection:
            assert status_of(connection.recv(65_536)) == 401
            connection.sendall(b"x" * 900_000)
            assert b"<reset>" not in rest(connection)

    def test_client_that_does_not_read_is_disconnected(self, served: Served) -> None:
        url = httpx.URL(served.url)
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(60)
            connection.connect((url.host, url.port or 80))
            request = b"GET /static/ciphermark.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                send_repeatedly(connection, request * 100)

    def test_what_is_not_http_is_a_problem(self, served: Served) -> None:
        with connect(served, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n") as connection:
            assert status_of(rest(connection)) == 400


class TestNumbers:
    def test_idle_connection_of_the_same_address_makes_room(self, served: Served) -> None:
        with ExitStack() as opened:
            idle = [opened.enter_context(connect(served, address="127.0.0.9")) for _ in range(LIMITS.of_address)]
            with connect(served, b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n", "127.0.0.9") as another:
                assert status_of(another.recv(4096)) == 200
            assert rest(idle[0]) == b""

    def test_address_whose_connections_are_all_busy_is_refused_and_others_are_not(self, served: Served) -> None:
        stream = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with ExitStack() as opened:
            for _ in range(LIMITS.of_address):
                busy = opened.enter_context(connect(served, stream, "127.0.0.8"))
                assert status_of(busy.recv(4096)) == 200
            with connect(served, address="127.0.0.8") as refused:
                response = rest(refused)
            assert status_of(response) == 503
            assert b"Retry-After: 5" in response
            assert httpx.get(f"{served.url}/api/v1/health", timeout=GENEROUS_SECONDS).status_code == 200


class TestOverload:
    def test_preview_beyond_the_slots_is_refused_with_a_pause(self, served: Served) -> None:
        with served.client("submitter") as client:
            body = {"plan": {"version": 1}}
            assert client.post("/api/v1/plans/preview", json=body).status_code == 422
            (slots,) = [one for one in served.app.state.kept_objects.values() if isinstance(one, WorkSlots)]
            with slots.taken():
                refused = client.post("/api/v1/plans/preview", json=body)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
            assert refused.json()["type"] == "/problems/overloaded"
