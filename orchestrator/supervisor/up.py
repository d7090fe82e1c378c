"""``up``: everything on this machine, as children of one supervisor.

Order of the start: Redis, schema, service, scheduler, local agent; of the end: the reverse. A child that dies is
started again. When the supervisor dies in whatever way, the kernel ends its children.
"""

import os
import ssl
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import httpx

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.errors import SetupError
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.security import binding
from orchestrator.settings import DaemonSettings, ServiceSettings
from orchestrator.supervisor import local_agent
from orchestrator.supervisor.access import Access, grant_access, login_url
from orchestrator.supervisor.children import Child, Program
from orchestrator.supervisor.layout import Layout
from orchestrator.supervisor.lock import UpLock
from orchestrator.supervisor.ports import address_for_others, choose_port
from orchestrator.supervisor.private_redis import Opening, PrivateRedis

CIPHERMARK = (sys.executable, "-m", "orchestrator.cli.main")
"""The command line of this very installation, whatever ``ciphermark`` the search path holds."""
SERVICE_SECONDS = 180.0
"""A small machine that builds runners beside it takes most of a minute to import everything."""
REDIS_PORT_OFFSET = 1
"""Redis listens on the port after the service's, when it listens on a network at all."""

_SERVER_NICENESS = 5
"""Of service, scheduler and Redis beside a daemon: its samples and launches come first."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Place:
    """Where the service listens and how others reach it."""

    settings: ServiceSettings  # with the port that was free
    url: str
    broker_url: str  # for agents of other machines; the socket where nothing is opened


class Up:
    """Everything, running. Use as a context manager; call ``tend`` again and again while it shall live."""

    def __init__(self, settings: ServiceSettings, tell: Tell, *, with_agent: bool = True) -> None:
        """Start everything; on any failure what was started is ended again.

        tell: called with sentences for people. Raises AlreadyRunning and SetupError.
        """
        binding.check(settings)
        self._tell = tell
        self.layout = Layout(settings.data_folder)
        self.layout.make_folders()
        self._lock = UpLock(self.layout.lock)
        self._children: list[Child] = []
        self._redis: PrivateRedis | None = None
        self.database = Database(settings.resolved_database_url)
        try:
            self.access = self._start(settings, with_agent)
        except BaseException:
            self.stop()
            raise

    def _start(self, settings: ServiceSettings, with_agent: bool) -> Access:
        port = choose_port(settings.host, settings.port)
        if port.wanted_was_taken:
            self._tell(f"Port {settings.port} is taken; using {port.number}.")
        opening = _opening(settings, port.number)
        self._redis = PrivateRedis(self.layout, opening)
        place = _place(settings, port.number, opening, self._redis)
        aside = _beside_measuring if with_agent else _as_it_is
        redis = self._start_child(aside(self._redis.program()))
        self._redis.wait_until_ready(lambda: redis.pid is not None)
        bring_up_to_date(settings.resolved_database_url)
        access = grant_access(self.layout.command_line_access, self.database, place.url, settings.tls_certificate)
        environment = _server_environment(place, self._redis)
        service = self._start_child(aside(self._program("service", ("service",), environment)))
        self._start_child(aside(self._program("scheduler", ("scheduler",), environment)))
        self._wait_for_service(access, service)
        self._lock.note(access.url)
        if with_agent:
            self._start_agent(access, self._redis)
        return access

    def _start_agent(self, access: Access, redis: PrivateRedis) -> None:
        environment = _agent_environment(self.layout, access.certificate)
        local_agent.enroll(self.layout, self.database, access.url, CIPHERMARK, environment)
        local_agent.refresh_addresses(self.layout, access.url, redis.address.public().url)
        # It ends its execution first, and hands its job back.
        self._start_child(self._program("daemon", ("daemon", "start"), environment, stop_seconds=20.0))

    def _start_child(self, program: Program) -> Child:
        child = Child(program)
        self._children.append(child)
        child.start()
        return child

    def _program(
        self, name: str, arguments: tuple[str, ...], environment: Mapping[str, str], stop_seconds: float = 10.0
    ) -> Program:
        log = self.layout.log_folder / f"{name}.log"
        return Program(name, (*CIPHERMARK, *arguments), environment, log, stop_seconds=stop_seconds)

    def _wait_for_service(self, access: Access, service: Child) -> None:
        deadline = time.monotonic() + SERVICE_SECONDS
        with httpx.Client(base_url=access.url, verify=_trust(access.certificate), timeout=2.0) as client:
            while time.monotonic() < deadline and service.pid is not None:
                with suppress(httpx.TransportError):
                    if client.get("/api/v1/health").is_success:
                        return
                time.sleep(0.05)
        log = service.program.log_file
        lines = log.read_text(errors="replace").splitlines()[-10:]
        raise SetupError("The service did not start: " + "\n".join(lines), remedy=f"See {log} for the whole of it.")

    @property
    def children(self) -> Mapping[str, int | None]:
        """Name of each part → its process id, None while it is dead."""
        return {child.program.name: child.pid for child in self._children}

    def struggling(self, starts: int) -> list[Child]:
        """Return the parts that had to be started so many times."""
        return [child for child in self._children if child.starts >= starts]

    def login_url(self) -> str:
        """Return the dashboard's address with a one-time code."""
        return login_url(self.database, self.access)

    def tend(self) -> None:
        """Start again what died; to be called about five times a second from the main thread."""
        for child in self._children:
            if child.keep_alive():
                self._tell(f"{child.program.name} ended and was started again; see {child.program.log_file}.")

    def stop(self) -> None:
        """End everything in order; nothing is left when this returns."""
        for child in reversed(self._children):
            child.stop()
        self._children.clear()
        if self._redis is not None:
            self._redis.close()
        self.database.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _beside_measuring(program: Program) -> Program:
    """Return one of our own parts as it shall be where this machine measures too: off that core, and behind the daemon.

    Where there is no other core, it keeps the one.
    """
    others = frozenset(os.sched_getaffinity(0) - {choose_measured_core(DaemonSettings().measured_core)})
    return replace(program, cores=others, niceness=_SERVER_NICENESS)


def _as_it_is(program: Program) -> Program:
    return program


def _opening(settings: ServiceSettings, port: int) -> Opening | None:
    if binding.is_loopback(settings.host):
        return None
    free = choose_port(settings.host, port + REDIS_PORT_OFFSET)
    return Opening(settings.host, free.number, settings.tls_certificate, settings.tls_key)


def _place(settings: ServiceSettings, port: int, opening: Opening | None, redis: PrivateRedis) -> Place:
    host = address_for_others(settings.host)
    bracketed = f"[{host}]" if ":" in host else host
    url = settings.public_url or f"{'https' if settings.tls_certificate else 'http'}://{bracketed}:{port}"
    if opening is None:
        broker_url = redis.address.public().url
    else:
        broker_url = f"{'rediss' if opening.certificate else 'redis'}://{bracketed}:{opening.port}/0"
    return Place(settings.model_copy(update={"port": port}), url.rstrip("/"), broker_url)


def _server_environment(place: Place, redis: PrivateRedis) -> dict[str, str]:
    settings = place.settings
    ours = {
        "CIPHERMARK_DATA_FOLDER": str(settings.data_folder),
        "CIPHERMARK_CACHE_FOLDER": str(settings.cache_folder),
        "CIPHERMARK_HOST": settings.host,
        "CIPHERMARK_PORT": str(settings.port),
        "CIPHERMARK_PUBLIC_URL": place.url,
        "CIPHERMARK_REDIS_URL": redis.address.url,
        "CIPHERMARK_AGENT_BROKER_URL": settings.agent_broker_url or place.broker_url,
        "CIPHERMARK_INSECURE_LAN": str(settings.insecure_lan).lower(),
    }
    if settings.database_url:
        ours["CIPHERMARK_DATABASE_URL"] = settings.database_url
    if settings.tls_certificate and settings.tls_key:
        ours["CIPHERMARK_TLS_CERTIFICATE"] = str(settings.tls_certificate)
        ours["CIPHERMARK_TLS_KEY"] = str(settings.tls_key)
    return os.environ | {"PYTHONUNBUFFERED": "1"} | ours


def _agent_environment(layout: Layout, certificate: Path | None) -> dict[str, str]:
    # The daemon gets what an agent on any machine has, and none of the service's secrets.
    theirs = ("CIPHERMARK_REDIS_URL", "CIPHERMARK_DATABASE_URL", "CIPHERMARK_TOKEN")
    environment = {name: value for name, value in os.environ.items() if name not in theirs}
    environment |= {"PYTHONUNBUFFERED": "1", "CIPHERMARK_DATA_FOLDER": str(layout.agent_folder)}
    if certificate is not None:
        environment["SSL_CERT_FILE"] = str(certificate)
    return environment


def _trust(certificate: Path | None) -> ssl.SSLContext | bool:
    return ssl.create_default_context(cafile=certificate) if certificate else True
