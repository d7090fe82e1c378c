"""``up``: all programs on this machine, as children of one supervisor.

It starts Redis, migrates the database, and starts the service, the scheduler, and the local daemon; it stops them in
reverse order. A child that ends is restarted. When the supervisor dies, the kernel ends its children.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import httpx

from orchestrator.builds.signing import DownloadSigner
from orchestrator.cli.supervisor import local_agent
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.cli.supervisor.announcement import require_announcement
from orchestrator.cli.supervisor.children import Child, ChildProgram
from orchestrator.cli.supervisor.grants import grant_access, login_url
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.supervisor.lock import START_SECONDS, UpLock
from orchestrator.cli.supervisor.ports import address_for_others, choose_port
from orchestrator.cli.supervisor.private_redis import PrivateRedis, RedisAddress
from orchestrator.cli.supervisor.redis_watchdog import RedisWatchdog
from orchestrator.daemon.session.ending import find_end
from orchestrator.daemon.session.identity import IDENTITY_FILE
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.database.models import now
from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.measurement.machine.core_lock import CoreLock
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.service.security import binding, certificates
from orchestrator.shared.errors import SetupError
from orchestrator.shared.free_space import shortage
from orchestrator.shared.processes import module_command
from orchestrator.shared.settings import DaemonSettings, ServiceSettings
from orchestrator.shared.tls import verification

_PROCESSES = "orchestrator.cli.processes"
"""Modules of the processes that `ciphermark service`, `scheduler` and `daemon start` become after what this supervisor
has done already: checks, schema, access, enrollment. The command line would be imported for nothing."""
SERVICE = (*module_command(f"{_PROCESSES}.service"), "service")
SCHEDULER = (*module_command(f"{_PROCESSES}.scheduler"), "scheduler")
DAEMON = (*module_command(f"{_PROCESSES}.daemon"), "daemon", "start")
_CLIENTS = ("scheduler", "daemon")
"""Children that need the service or Redis and not each other: they end at the same time, before the others."""
CORE_SECONDS = 10.0
"""How long to wait for a daemon that is about to end and release its core."""
REVOKED = 7
DAEMON_FINAL_EXIT_CODES = frozenset({3, REVOKED, 75})
"""Errors that a restart of the daemon cannot fix, as in its systemd unit: 3 invalid setting, 7 revoked agent, 75
another daemon is this agent."""
DISK_SECONDS = 5.0
"""Interval between two looks at the disk and the database's condition."""
REDIS_PORT_OFFSET = 1
"""Offset of Redis' port from the service's port, if Redis listens on a network."""

_SERVER_NICENESS = 5
"""Niceness of service, scheduler, and Redis on a machine that measures: the daemon has priority."""

Notify = Callable[[str], None]


@dataclass(frozen=True)
class Endpoint:
    """Address on which the service listens, and the URLs for clients and agents."""

    settings: ServiceSettings  # with the chosen port
    url: str
    broker_url: str  # for agents on other machines; the Unix socket if Redis listens on no network


class Up:
    """All programs, running. Use it as a context manager, and call ``tend`` repeatedly while it is open."""

    def __init__(
        self,
        settings: ServiceSettings,
        notify: Notify,
        *,
        with_agent: bool = True,
        announce: bool = False,
        providers: Collection[str] = (),
        runners_folder: Path | None = None,
    ) -> None:
        """Start all programs; after a failure, stop those that were started.

        notify: receives messages for the user. announce: on the local network. providers: whose runners the agent
        compiles; none: all. runners_folder: of programs that the agent uses instead. Raises AlreadyRunning and
        SetupError.
        """
        binding.check(settings)
        if announce:
            require_announcement(settings)
        self._daemon_options = ("--providers", ",".join(sorted(providers))) if providers else ()
        self._runners_folder = runners_folder
        self._service_options = ("--announce",) if announce else ()
        self._notify = notify
        self._settings = settings
        self._began_at = now()
        self._obstacle: str | None = None
        self._watched_at = -DISK_SECONDS
        self.layout = Layout(settings.data_folder)
        self.layout.make_folders()
        self._lock = UpLock(self.layout.lock)
        self._children: list[Child] = []
        self._redis: PrivateRedis | None = None
        self._redis_child: Child | None = None
        self._watchdog: RedisWatchdog | None = None
        self.database = Database(settings.resolved_database_url)
        try:
            self.access = self._start(settings, with_agent)
        except BaseException:
            self.stop()
            raise

    def _start(self, settings: ServiceSettings, with_agent: bool) -> ServiceAccess:
        if with_agent:
            _wait_for_core(DaemonSettings())
        port = choose_port(settings.host, settings.port)
        if port.requested_was_taken:
            self._notify(f"Port {settings.port} is taken; using {port.number}.")
        listener = _listener(settings, port.number)
        self._redis = PrivateRedis(self.layout, listener)
        endpoint = _endpoint(settings, port.number, listener, self._redis)
        adjusted = _off_measured_core if with_agent else lambda program: program
        redis = self._redis_child = self._start_child(adjusted(self._redis.program()))
        self._redis.wait_until_ready(redis)
        self._watchdog = RedisWatchdog(self._redis.address)
        self._watchdog.start()
        bring_up_to_date(settings.resolved_database_url)
        access = grant_access(self.layout.command_line_access, self.database, endpoint.url, settings.tls_certificate)
        environment = _server_environment(endpoint, self._redis)
        service = self._start_child(adjusted(self._program("service", (*SERVICE, *self._service_options), environment)))
        self._start_child(adjusted(self._program("scheduler", SCHEDULER, environment)))
        self._wait_for_service(access, service)
        if with_agent:
            self._start_agent(access, self._redis)
        # Commands wait for this: a plan that was sent before the enrollment was refused.
        self._lock.note(access.url)
        return access

    def _start_agent(self, access: ServiceAccess, redis: PrivateRedis) -> None:
        environment = _agent_environment(self.layout, access.certificate, self._settings)
        if self._runners_folder is not None:
            environment["CIPHERMARK_RUNNERS_FOLDER"] = str(self._runners_folder)
        local_agent.enroll(self.layout, self.database, access)
        local_agent.refresh_addresses(self.layout, access.url, redis.address.public().url)
        # On SIGTERM it finishes its execution first and releases its job.
        program = self._program("daemon", (*DAEMON, *self._daemon_options), environment, stop_seconds=20.0)
        self._start_child(replace(program, final_exit_codes=DAEMON_FINAL_EXIT_CODES))

    def _start_child(self, program: ChildProgram) -> Child:
        child = Child(program)
        self._children.append(child)
        child.start()
        return child

    def _program(
        self, name: str, command: tuple[str, ...], environment: Mapping[str, str], stop_seconds: float = 10.0
    ) -> ChildProgram:
        log = self.layout.log_folder / f"{name}.log"
        return ChildProgram(name, command, environment, log, stop_seconds=stop_seconds)

    def _wait_for_service(self, access: ServiceAccess, service: Child) -> None:
        deadline = time.monotonic() + START_SECONDS
        with httpx.Client(
            base_url=access.url, verify=verification(access.url, access.certificate), timeout=2.0
        ) as client:
            while time.monotonic() < deadline and service.pid is not None:
                with suppress(httpx.TransportError):
                    if client.get("/api/v1/health").is_success:
                        return
                time.sleep(0.05)
        log = service.program.log_file
        lines = log.read_text(errors="replace").splitlines()[-10:]
        raise SetupError("The service did not start: " + "\n".join(lines), remedy=f"See the complete log in {log}.")

    @property
    def children(self) -> Mapping[str, int | None]:
        """Process id of each child by name; None while it is not running."""
        return {child.program.name: child.pid for child in self._children}

    def struggling(self, starts: int) -> list[Child]:
        """Return the children that were started at least this many times, or ended for good."""
        return [child for child in self._children if child.starts >= starts or child.final_exit_code is not None]

    def restart_agent(self, runners_folder: Path) -> None:
        """End the agent of this machine after its execution, and start it with the programs of a folder."""
        (daemon,) = (child for child in self._children if child.program.name == "daemon")
        daemon.stop()
        self._children.remove(daemon)
        self._began_at = now()
        environment = {**daemon.program.environment, "CIPHERMARK_RUNNERS_FOLDER": str(runners_folder)}
        self._start_child(replace(daemon.program, environment=environment))

    def agent_is_ready(self) -> bool:
        """Return whether the agent of this machine has its runners and takes runs."""
        return local_agent.is_ready(self.layout, self.database, self._began_at)

    def agent_refusal(self) -> str:
        """Return why the agent of this machine takes no runs; empty if it does, or may do so later."""
        return local_agent.refusal(self.layout, self.database, self._began_at)

    def login_url(self) -> str:
        """Return the dashboard's URL with a one-time code."""
        return login_url(self.database, self.access)

    def tend(self) -> None:
        """Restart children that ended or do not answer; call it about five times a second from the main thread."""
        if self._watchdog is not None and self._redis_child is not None and self._watchdog.is_stuck:
            self._notify("redis does not answer and is killed.")
            self._redis_child.kill()
            self._watchdog.reset()
        for child in self._children:
            ended_before = child.final_exit_code is not None
            if child.keep_alive():
                self._notify(f"{child.program.name} ended and was restarted; see {child.program.log_file}.")
            elif child.final_exit_code is not None and not ended_before:
                self._notify(_final_notice(child, self.layout))
        self._watch_disk()

    def _watch_disk(self) -> None:
        """Notify the user when new work stops for lack of room, or the database is damaged, and when that ends."""
        if time.monotonic() - self._watched_at < DISK_SECONDS:
            return
        self._watched_at = time.monotonic()
        obstacle = shortage(self._settings.data_folder, self._settings.min_free_mib) or self.database.integrity.damage()
        if obstacle != self._obstacle:
            self._notify(f"No new work begins. {obstacle}" if obstacle else "New work begins again.")
        self._obstacle = obstacle

    def stop(self) -> None:
        """Stop all children in order; none is left when this returns."""
        if self._watchdog is not None:
            self._watchdog.close()
        for child in self._children:
            if child.program.name in _CLIENTS:
                child.begin_stop()
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


def _final_notice(child: Child, layout: Layout) -> str:
    """Return why a child is not restarted, and what to do."""
    reason = f"{child.program.name} ended with exit code {child.final_exit_code} and is not restarted"
    ended = find_end(layout.agent_folder)
    identity = layout.agent_folder / IDENTITY_FILE
    remedy = (
        f"If its agent was revoked, remove {identity} and start 'ciphermark up' again to enroll this machine again."
        if child.final_exit_code == REVOKED
        else "Correct the reason, and start 'ciphermark up' again."
    )
    return f"{reason}: {ended.reason if ended else 'see its log'} {remedy} Its log: {child.program.log_file}"


def _wait_for_core(settings: DaemonSettings) -> None:
    """Wait until no other daemon has locked the measured core, as one that is about to end; raises SetupError."""
    core, deadline = choose_measured_core(settings.measured_core), time.monotonic() + CORE_SECONDS
    while not settings.share_core:
        try:
            CoreLock(core).close()
        except SetupError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


def _off_measured_core(program: ChildProgram) -> ChildProgram:
    """Return the program restricted to the cores that are not measured, with a lower priority than the daemon.

    On a machine with one core the affinity is unchanged.
    """
    others = frozenset(os.sched_getaffinity(0) - {choose_measured_core(DaemonSettings().measured_core)})
    return replace(program, cores=others, niceness=_SERVER_NICENESS)


def _listener(settings: ServiceSettings, port: int) -> RedisAddress | None:
    if binding.is_loopback(settings.host):
        return None
    free = choose_port(settings.host, port + REDIS_PORT_OFFSET)
    return RedisAddress(settings.host, free.number, settings.tls_certificate, settings.tls_key)


def _endpoint(settings: ServiceSettings, port: int, listener: RedisAddress | None, redis: PrivateRedis) -> Endpoint:
    host = address_for_others(settings.host)
    url = settings.url_at(host, port)
    if settings.tls_certificate:
        # Redis has the same certificate, and its clients compare the name, too.
        host = urlsplit(url).hostname or ""
        certificates.check_name(settings.tls_certificate, host)
    broker = redis.address.public()
    if listener is not None:
        broker = BrokerAddress("rediss" if listener.certificate else "redis", host, listener.port)
    return Endpoint(settings.model_copy(update={"port": port}), url.rstrip("/"), broker.url)


def _server_environment(endpoint: Endpoint, redis: PrivateRedis) -> dict[str, str]:
    settings = endpoint.settings
    environment = {
        "CIPHERMARK_DATA_FOLDER": str(settings.data_folder),
        "CIPHERMARK_CACHE_FOLDER": str(settings.cache_folder),
        "CIPHERMARK_HOST": settings.host,
        "CIPHERMARK_PORT": str(settings.port),
        "CIPHERMARK_PUBLIC_URL": endpoint.url,
        "CIPHERMARK_REDIS_URL": redis.address.url,
        "CIPHERMARK_AGENT_BROKER_URL": settings.agent_broker_url or endpoint.broker_url,
        "CIPHERMARK_INSECURE_LAN": str(settings.insecure_lan).lower(),
    }
    if settings.database_url:
        environment["CIPHERMARK_DATABASE_URL"] = settings.database_url
    if settings.tls_certificate and settings.tls_key:
        environment["CIPHERMARK_TLS_CERTIFICATE"] = str(settings.tls_certificate)
        environment["CIPHERMARK_TLS_KEY"] = str(settings.tls_key)
    return os.environ | {"PYTHONUNBUFFERED": "1"} | environment


def _agent_environment(layout: Layout, certificate: Path | None, settings: ServiceSettings) -> dict[str, str]:
    # The daemon gets the environment of an agent on any machine, without the service's secrets.
    not_for_agents = ("CIPHERMARK_REDIS_URL", "CIPHERMARK_DATABASE_URL", "CIPHERMARK_TOKEN", "CIPHERMARK_JOIN_TOKEN")
    environment = {name: value for name, value in os.environ.items() if name not in not_for_agents}
    environment |= {"PYTHONUNBUFFERED": "1", "CIPHERMARK_DATA_FOLDER": str(layout.agent_folder)}
    if certificate is not None:
        environment["SSL_CERT_FILE"] = str(certificate)
    if settings.insecure_lan:
        environment["CIPHERMARK_SERVICE_KEY"] = DownloadSigner(settings.data_folder).public_key
    return environment
