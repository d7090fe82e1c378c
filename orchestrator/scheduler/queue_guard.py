"""The guard of the queue: cuts off an agent that floods Redis, before it affects others.

A thread of its own, because the ticks arrive through Redis: a full Redis refuses them.
"""

import threading
from dataclasses import dataclass, field
from typing import Self

import redis
import structlog
from sqlalchemy.exc import SQLAlchemyError

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.queue import usage
from orchestrator.queue.redis_users import AgentUser, close_queue
from orchestrator.scheduler import repository
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.units import MIB, format_bytes_approximately
from orchestrator.wire.base import broker_username

MAX_QUEUE_BYTES = 32 * MIB
"""Memory of one agent's keys. A queued job takes about a megabyte, encoded, in the queue and among the unacknowledged
ones, and the dispatcher sends two at a time."""
MAX_AGENT_CONNECTIONS = 32
"""Connections of one agent beyond which its queue is closed; a worker has two or three."""
LOGIN_SECONDS = 10
"""Time after which a connection without a login is closed, while there are many connections."""
INTERVAL_SECONDS = 0.5

_log = structlog.get_logger(__name__)


@dataclass
class QueueGuard:
    """Measures what the agents use of Redis, and closes the queue of one that exceeds its limits.

    Use it as a context manager, in which a thread checks every `INTERVAL_SECONDS`.
    """

    database: Database
    client: redis.Redis
    max_bytes: int = MAX_QUEUE_BYTES
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _failing: bool = False

    def check(self) -> None:
        """Close the queues of the agents that exceed a limit. Raises redis.RedisError and SQLAlchemyError."""
        with self.database.read() as session:
            agent_ids = [user.agent_id for user in repository.agent_users(session, now())]
        for agent_id, size_bytes in usage.memory_bytes(self.client, agent_ids).items():
            if size_bytes > self.max_bytes:
                limit = f"the limit is {self.max_bytes // MIB} MiB"
                self._close(agent_id, f"its keys in Redis have {format_bytes_approximately(size_bytes)}, {limit}")
        if usage.connection_count(self.client) > MAX_AGENT_CONNECTIONS * (len(agent_ids) + 1):
            self._check_connections(agent_ids)

    def _check_connections(self, agent_ids: list[str]) -> None:
        found = usage.connections(self.client, LOGIN_SECONDS)
        for agent_id in agent_ids:
            count = found.by_user.get(broker_username(agent_id), 0)
            if count > MAX_AGENT_CONNECTIONS:
                limit = f"the limit is {MAX_AGENT_CONNECTIONS}"
                self._close(agent_id, f"it has {count} connections to Redis, {limit}")
        for client_id in found.not_logged_in:
            self.client.client_kill_filter(_id=str(client_id))
        if found.not_logged_in:
            _log.warning("connections without a login closed", connections=len(found.not_logged_in))

    def _close(self, agent_id: str, reason: str) -> None:
        with self.database.write() as session:
            closed = repository.close_queue(session, agent_id, reason)
        close_queue(self.client, AgentUser(agent_id))
        if closed:
            _log.error("queue closed", agent_id=agent_id, reason=reason)

    def _run(self) -> None:
        while not self._ended.wait(INTERVAL_SECONDS):
            try:
                self.check()
            except (redis.RedisError, OSError, SQLAlchemyError, CiphermarkError) as error:
                if not self._failing:
                    _log.error("the queue is not guarded", error=str(error))
                self._failing = True
            else:
                self._failing = False

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="queue-guard", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=INTERVAL_SECONDS + 5)
        self.client.close()
