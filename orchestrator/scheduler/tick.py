"""One tick of the scheduler: the steps that move runs forward, in a fixed order, each independent of the others.

Two schedulers may tick at the same time: every state change checks the state it found.
"""

import math
import time
from collections.abc import Callable

import redis
import structlog
from sqlalchemy.exc import SQLAlchemyError

from orchestrator.builds import challenges
from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.database.ticks import note_tick
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.redis_users import RedisUsers
from orchestrator.queue.sender import JobSender
from orchestrator.results.digests.computing import DigestComputer
from orchestrator.results.digests.service import resolve_pending
from orchestrator.results.freshness.service import StatisticsStep
from orchestrator.runs.chunks.limits import delete_unused
from orchestrator.runs.chunks.making import ChunkMaker
from orchestrator.runs.deletion.service import execute as execute_deletions
from orchestrator.runs.scheduling.rounds import lay_out_rounds
from orchestrator.runs.scheduling.service import lay_out_next
from orchestrator.scheduler.background import report_step, source_step, watch_step
from orchestrator.scheduler.dispatch import IDLE_RESEND_SECONDS, dispatch, flush, resend_lost_jobs
from orchestrator.scheduler.prune import prune_audit_entries, prune_events, prune_sensor_readings, prune_sessions
from orchestrator.scheduler.repository import agent_users
from orchestrator.service.backup.schedule import BackupStep
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.free_space import require_room
from orchestrator.shared.settings import ServiceSettings

DIGESTS_PER_TICK = 8
"""Third-party digests computed in one tick: 8 of 8 MiB take about 0.3 s with AES, 2 s with 3DES."""
REST_SECONDS = 4.0
"""Longest time without the steps while nothing changes: some depend on the time alone, such as due watches.

Readiness counts a scheduler as not running after 10 s. All steps take 25 ms of processor time on a 2-core VM, more on a
Raspberry Pi that measures at the same time.
"""
PRUNE_INTERVAL_SECONDS = 600.0
CORPUS_LIMIT_INTERVAL_SECONDS = 600.0

_log = structlog.get_logger(__name__)


class Scheduler:
    """The scheduler's connections and state, kept from tick to tick."""

    def __init__(
        self, settings: ServiceSettings, database: Database, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare the steps; nothing is connected yet. clock: returns the monotonic time, in seconds."""
        address = BrokerAddress.parse(settings.redis_url.get_secret_value())
        self.settings, self.database, self.clock = settings, database, clock
        self.users, self.sender = RedisUsers(address.client()), JobSender(address)
        self.chunk_maker = ChunkMaker(database, settings.corpus_folder)
        self.statistics = StatisticsStep(database)
        self.backup = BackupStep(settings)
        self.digest_computer = DigestComputer(database, settings)
        self.source_measurer = source_step(database)
        self.watches = watch_step(database, settings)
        self.reports = report_step(database, settings)
        self._failing: set[str] = set()
        self._version: int | None = None
        """State of the database before the last steps."""
        self._ticked_at = self._pruned_at = self._corpus_limited_at = -math.inf

    def close(self) -> None:
        """End the making of chunks and digests, and close the connections to Redis."""
        self.chunk_maker.close()
        self.digest_computer.close()
        self.source_measurer.close()
        self.watches.close()
        self.reports.close()
        self.sender.close()

    def tick(self) -> None:
        """Execute every step once; a step that fails is logged and does not affect the others.

        Nothing is executed while no step could find anything new, for up to `REST_SECONDS`.
        """
        if self._can_rest():
            return
        # The time is noted before the version is read, since it changes the version as any commit of the steps does.
        self._step("note tick", self._note_tick)
        self._ticked_at, self._version = self.clock(), self._present_version()
        self._step("redis users", self._synchronize_users)
        self._step("chunks", self.chunk_maker.step)
        self._step("lay out", lambda: lay_out_next(self.database, self.settings))
        self._step("statistics", self.statistics.step)
        self._step("rounds", lambda: lay_out_rounds(self.database, self.settings))
        self._step("dispatch", self._dispatch)
        self._step("outbox", lambda: flush(self.database, self.sender.send))
        self._step("lost jobs", self._resend)
        self._step("own digests", self.digest_computer.step)
        self._step("digests", self._judge_digests)
        self._step("challenges", lambda: challenges.expire(self.database, now()))
        self._step("deletions", lambda: execute_deletions(self.database))
        self._step("source code", self.source_measurer.step)
        self._step("watches", self.watches.step)
        self._step("reports", self.reports.step)
        self._step("backup", self.backup.step)
        self._step("prune", lambda: prune_events(self.database))
        self._step("prune readings, audit log and sessions", self._prune_rarely)
        self._step("limit corpus", self._limit_corpus)

    def _can_rest(self) -> bool:
        is_busy = self.chunk_maker.is_making or self.digest_computer.is_computing or self.statistics.is_postponed
        if is_busy or self._failing or self.clock() - self._ticked_at >= REST_SECONDS:
            return False
        return self._version is not None and self._version == self._present_version()

    def _present_version(self) -> int | None:
        try:
            return self.database.version()
        except SQLAlchemyError:
            return None  # The steps log the error.

    def _synchronize_users(self) -> None:
        with self.database.read() as session:
            users = agent_users(session, now())
        self.users.synchronize(users)

    def _dispatch(self) -> None:
        require_room(self.settings.data_folder, self.settings.min_free_mib)
        dispatch(self.database, now())

    def _resend(self) -> None:
        require_room(self.settings.data_folder, self.settings.min_free_mib)
        resend_lost_jobs(self.database, IDLE_RESEND_SECONDS, now())

    def _judge_digests(self) -> None:
        resolve_pending(self.database, self.settings, DIGESTS_PER_TICK, self.digest_computer.runners_key)

    def _prune_rarely(self) -> None:
        # Counting an agent's readings scans all of them, which is too expensive for every tick.
        if self.clock() - self._pruned_at < PRUNE_INTERVAL_SECONDS:
            return
        pruned = [prune(self.database, now()) for prune in (prune_sensor_readings, prune_audit_entries, prune_sessions)]
        if not any(pruned):
            self._pruned_at = self.clock()

    def _limit_corpus(self) -> None:
        # Reads the manifest and, above the limit, the inputs of all cases.
        if self.clock() - self._corpus_limited_at >= CORPUS_LIMIT_INTERVAL_SECONDS:
            self._corpus_limited_at = self.clock()
            delete_unused(self.database, self.settings.corpus_folder, now())

    def _note_tick(self) -> None:
        with self.database.write() as session:
            note_tick(session, now())

    def _step(self, name: str, work: Callable[[], object]) -> None:
        try:
            work()
        except (redis.RedisError, OSError) as error:
            self._log_once(name, f"Redis or a file is not available: {error}")
        except (SQLAlchemyError, CiphermarkError) as error:
            self._log_once(name, str(error))
        else:
            if name in self._failing:
                self._failing.discard(name)
                _log.info("step recovered", step=name)

    def _log_once(self, name: str, error: str) -> None:
        # The same line twice a second would bury every other one.
        if name not in self._failing:
            self._failing.add(name)
            _log.error("step failed", step=name, error=error)
