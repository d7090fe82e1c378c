"""One tick of the scheduler: everything that moves runs forward, in a fixed order, each step on its own.

Two schedulers may tick at once without harm: every step guards its changes by the state it found.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import redis
import structlog
from sqlalchemy.exc import SQLAlchemyError

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.database.ticks import note_tick
from orchestrator.errors import CiphermarkError
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import SOCKET_SECONDS, SYSTEM_AUTHORITIES, TLSFiles
from orchestrator.queue.redis_users import RedisUsers, wanted_users
from orchestrator.queue.sender import JobSender
from orchestrator.results.digests.service import resolve_pending
from orchestrator.runs.scheduling.rounds import lay_out_rounds
from orchestrator.runs.scheduling.service import lay_out_next
from orchestrator.scheduler.dispatch import dispatch
from orchestrator.scheduler.lost_jobs import IDLE_RESEND_SECONDS, watch
from orchestrator.scheduler.outbox import flush
from orchestrator.scheduler.prune import prune_events, prune_sensor_readings
from orchestrator.settings import ServiceSettings

DIGESTS_PER_TICK = 8
"""Third-party digests computed in one tick: 8 of 8 MiB take about 0.3 s with AES, 2 s with 3DES."""
READINGS_PRUNED_EACH_SECONDS = 600.0

_log = structlog.get_logger(__name__)


def redis_client(address: BrokerAddress, tls: TLSFiles = SYSTEM_AUTHORITIES) -> redis.Redis:
    """Return a client with the admin's credentials that gives up in seconds; nothing is sent yet."""
    options = {"ssl_ca_certs": str(tls.authority)} if tls.authority and address.scheme == "rediss" else {}
    return redis.Redis.from_url(
        address.redis_url,
        socket_timeout=SOCKET_SECONDS,
        **({} if address.is_socket else {"socket_connect_timeout": SOCKET_SECONDS}),
        **options,
    )


@dataclass
class Scheduler:
    """What a tick works with, kept from tick to tick."""

    settings: ServiceSettings
    database: Database
    users: RedisUsers
    sender: JobSender
    _failing: set[str] = field(default_factory=set)
    _readings_pruned_at: float = -math.inf
    """By the monotonic clock."""

    @classmethod
    def of(cls, settings: ServiceSettings, database: Database) -> "Scheduler":
        """Make it from the settings; connects to nothing yet."""
        address = BrokerAddress.parse(settings.redis_url.get_secret_value())
        return cls(settings, database, RedisUsers(redis_client(address)), JobSender(address))

    def tick(self) -> None:
        """Do every step once; a step that fails is logged, and the others go on."""
        self._step("redis users", self._keep_users)
        self._step("lay out", lambda: lay_out_next(self.database, self.settings))
        self._step("rounds", lambda: lay_out_rounds(self.database, self.settings))
        self._step("dispatch", lambda: dispatch(self.database, self.settings.dispatch_window, now()))
        self._step("outbox", lambda: flush(self.database, self.sender.send))
        self._step("watch", lambda: watch(self.database, IDLE_RESEND_SECONDS, now()))
        self._step("digests", lambda: resolve_pending(self.database, self.settings, DIGESTS_PER_TICK))
        self._step("prune", lambda: prune_events(self.database))
        self._step("prune readings", self._prune_readings)
        self._step("sign of life", self._note_tick)

    def _keep_users(self) -> None:
        self.users.synchronise(wanted_users(self.database))

    def _prune_readings(self) -> None:
        # Counting an agent's readings looks at all of them: not twice a second.
        if time.monotonic() - self._readings_pruned_at < READINGS_PRUNED_EACH_SECONDS:
            return
        if prune_sensor_readings(self.database, now()) == 0:
            self._readings_pruned_at = time.monotonic()

    def _note_tick(self) -> None:
        with self.database.write() as session:
            note_tick(session, now())

    def _step(self, name: str, work: Callable[[], object]) -> None:
        try:
            work()
        except (redis.RedisError, OSError) as error:
            self._log_once(name, f"redis or a file does not answer: {error}")
        except (SQLAlchemyError, CiphermarkError) as error:
            self._log_once(name, str(error))
        else:
            if name in self._failing:
                self._failing.discard(name)
                _log.info("step works again", step=name)

    def _log_once(self, name: str, error: str) -> None:
        # Twice a second the same line would bury every other one.
        if name not in self._failing:
            self._failing.add(name)
            _log.error("step failed", step=name, error=error)
