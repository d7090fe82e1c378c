"""The service as tests use it: the real application behind the real server, on a free port of this machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute

from orchestrator.app import create_app
from orchestrator.database.engine import Database
from orchestrator.service.security import sessions, tokens
from orchestrator.service.server.connections import ConnectionLimits
from orchestrator.service.server.protocol import bounded_protocol
from orchestrator.shared.settings import ServiceSettings
from orchestrator.shared.tls import verification
from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from tests.support.migrated_database import migrated_settings
from tests.support.waiting import GENEROUS_SECONDS, until


def words_of(answer: httpx.Response) -> str:
    """Return a page with single spaces between its words, since its template may break lines anywhere."""
    return " ".join(answer.text.split())


@dataclass(frozen=True)
class Served:
    """A service that listens."""

    url: str
    settings: ServiceSettings
    database: Database
    app: FastAPI
    clients: list[httpx.Client] = field(default_factory=list)
    """Those that were made; they are closed with the service."""

    def client(self, role: tokens.Role | None = None, agent_id: str | None = None) -> httpx.Client:
        """Return a client with a new token of this role, or without any; it is closed with the service."""
        return self.client_with(role and self.token(role, agent_id=agent_id))

    def token(self, role: tokens.Role, **given: Any) -> str:
        """Return a new token of this role."""
        with self.database.write() as session:
            return tokens.create(session, role, f"test {role}", **given)[1]

    def client_with(self, token: str | None) -> httpx.Client:
        """Return a client with this token; it is closed with the service."""
        headers = {"Authorization": f"Bearer {token}", WIRE_VERSION_HEADER: str(WIRE_VERSION)} if token else {}
        client = httpx.Client(
            base_url=self.url, headers=headers, timeout=GENEROUS_SECONDS, verify=verification(self.url)
        )
        self.clients.append(client)
        return client

    def browser(self, **headers: str) -> httpx.Client:
        """Return a client with an admin's new session of the dashboard; it is closed with the service."""
        with self.database.write() as session:
            cookie = sessions.open_by_code(session, sessions.create_code(session))
        client = self.client()
        client.cookies.set(sessions.COOKIE, cookie)
        client.headers.update(headers)
        return client

    # Tests share these. One that logs in or revokes a token has a client of its own.

    @cached_property
    def visitor(self) -> httpx.Client:
        """A client without a token."""
        return self.client()

    @cached_property
    def viewer(self) -> httpx.Client:
        """A client that may read."""
        return self.client("viewer")

    @cached_property
    def admin(self) -> httpx.Client:
        """A client that may do everything that a user may."""
        return self.client("admin")

    def json(self, path: str, status: int = 200, **query: Any) -> Any:
        """Return the document that a viewer gets, which has this status."""
        answer = self.viewer.get(path, params=query or None)
        assert answer.status_code == status, answer.text
        return answer.json()

    def html(self, path: str, status: int = 200, **query: Any) -> str:
        """Return the page that a viewer's browser gets, with single spaces between its words."""
        answer = self.viewer.get(path, params=query or None, headers={"Accept": "text/html"})
        assert answer.status_code == status, answer.text[:2000]
        return words_of(answer)


@contextmanager
def serve(
    data_folder: Path, connection_limits: ConnectionLimits | None = None, **settings_given: object
) -> Iterator[Served]:
    """Serve a data folder until the end of the block."""
    settings = migrated_settings(**{"data_folder": data_folder, **settings_given})
    database = Database(settings.resolved_database_url)
    # asyncio switches Nagle's algorithm off for sockets of this protocol only, which are those of `ciphermark service`.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        app = create_app(settings, database)
        config = uvicorn.Config(
            app,
            log_config=None,
            timeout_graceful_shutdown=1,
            server_header=False,
            http=bounded_protocol(connection_limits or ConnectionLimits()),
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        served = Served(f"http://127.0.0.1:{port}", settings, database, app)
        try:
            until(lambda: server.started, "the start of the service")
            yield served
        finally:
            for client in served.clients:
                client.close()
            server.should_exit = True
            thread.join(GENEROUS_SECONDS)
            database.close()


def routes_of(found: APIRouter) -> Iterator[APIRoute]:
    """Return the routes of a router and of those that it includes."""
    for route in found.routes:
        if isinstance(route, APIRoute):
            yield route
        elif included := getattr(route, "original_router", None):
            yield from routes_of(included)
