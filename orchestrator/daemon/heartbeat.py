"""The heartbeat thread: every two seconds it reports the daemon's state and follows the service's response."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from orchestrator.daemon.builds.orders import BuildOrders
from orchestrator.daemon.health.checks import REQUESTED_CHECK
from orchestrator.daemon.health.preflight import PreflightReports
from orchestrator.daemon.health.sensor_series import ReadingBuffer
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.orders import Orders
from orchestrator.daemon.session.status import Status, with_undelivered
from orchestrator.shared.errors import (
    CiphermarkError,
    Forbidden,
    InvalidRequest,
    SecondSession,
    Unauthorized,
    Unreachable,
)
from orchestrator.wire.agents import InventoryReport
from orchestrator.wire.heartbeats import INTERVAL_SECONDS, MAX_NOTICE_CHARACTERS, Heartbeat, HeartbeatResponse

FIRST_HEARTBEAT_SECONDS = 20.0
"""How long a daemon waits for a former session to expire: the service considers a killed daemon alive for a while."""
JOURNAL_CHECK_SECONDS = 24 * 3600.0
"""Interval at which the journal of a running daemon is checked for damage."""
_RETRY_SECONDS = 1.0
"""Pause between two attempts of the first heartbeat."""

_log = structlog.get_logger(__name__)


@dataclass
class Heartbeats:
    """Composes heartbeats, sends them, and follows the responses."""

    client: ServiceClient
    status: Status
    journal: Journal
    session_id: str
    inventory: InventoryReport | None = None
    """Sent when the service requests it."""
    orders: BuildOrders = field(default_factory=BuildOrders)
    health_check: Orders[bool] = field(default_factory=Orders)
    readings: ReadingBuffer = field(default_factory=ReadingBuffer)
    """Sensor readings; dropped once a heartbeat with them was answered."""
    shortage: Callable[[], str | None] = lambda: None
    """Returns what the disk lacks for new work, or None."""
    update_inventory: Callable[[InventoryReport], InventoryReport] = lambda report: report
    """Returns the inventory with what the operator changed since."""
    rotate_token: Callable[[], None] = lambda: None
    """Replaces the agent's token when the service requests it."""

    def send(self) -> HeartbeatResponse:
        """Send one heartbeat, follow the response, and return it."""
        sent_at = time.monotonic()
        self._update_inventory()
        snapshot = with_undelivered(self.status.snapshot(), self.journal.waiting_jobs())
        batch = self.readings.oldest()
        heartbeat = Heartbeat(
            session_id=self.session_id,
            state=snapshot.state,
            activity=snapshot.activity,
            inventory_sha256=snapshot.inventory_sha256,
            jobs=list(snapshot.held),
            notice=(self.shortage() or self.journal.notice)[:MAX_NOTICE_CHARACTERS],
            undelivered_records=self.journal.waiting_count(),
            sensor_readings=batch.readings,
        )
        try:
            answer = self.client.heartbeat(heartbeat)
        except InvalidRequest:
            # A rejected reading must not make the agent appear dead: the next heartbeat goes without it.
            self.readings.acknowledge(batch)
            raise
        self.readings.acknowledge(batch)
        for order in answer.stop:
            _log.info("stop order", job_id=order.job_id, reason=order.reason)
            self.status.order_stop(order.job_id, order.reason)
        if answer.database_epoch is not None and self.journal.note_epoch(answer.database_epoch):
            _log.warning("the service restored a backup; recent records are delivered again")
        self.orders.update(answer.builds, answer.keep_builds, sent_at)
        self.health_check.replace({REQUESTED_CHECK: True} if answer.check_health else {}, sent_at)
        if answer.send_inventory and self.inventory is not None:
            self.client.report_inventory(self.inventory)
        if answer.rotate_token:
            self._rotate_token()
        return answer

    def _update_inventory(self) -> None:
        if self.inventory is None:
            return
        current = self.update_inventory(self.inventory)
        if current.sha256 != self.inventory.sha256:
            self.inventory = current
            self.status.set_inventory(current.sha256)

    def _rotate_token(self) -> None:
        try:
            self.rotate_token()
        except OSError as error:
            # The present token remains valid, and the next heartbeat has the order again.
            _log.warning("token not rotated", error=str(error))


def first_heartbeat(heartbeats: Heartbeats, seconds: float = FIRST_HEARTBEAT_SECONDS) -> HeartbeatResponse:
    """Send heartbeats until one is accepted, without a limit while the service is unreachable.

    Raises SecondSession when another daemon still is this agent after `seconds`, Unauthorized and Forbidden
    immediately, and Unreachable when the daemon is shut down first.
    """
    refused_since: float | None = None
    logged = False
    while True:
        try:
            return heartbeats.send()
        except Unreachable as error:
            refused_since = None
            if not logged:
                _log.warning("waiting for the service", error=str(error))
                logged = True
        except SecondSession:
            refused_since = refused_since or time.monotonic()
            if time.monotonic() - refused_since > seconds:
                raise
        if heartbeats.status.wait_for_shutdown(_RETRY_SECONDS):
            raise Unreachable("The daemon was stopped before the service answered.")


class HeartbeatThread(threading.Thread):
    """Sends heartbeats until it is stopped; while no job is executed it also delivers records and reports."""

    def __init__(
        self, heartbeats: Heartbeats, delivery: Delivery, preflight: PreflightReports, on_fatal: Callable[[], None]
    ) -> None:
        """Create the thread; `start` runs it.

        on_fatal: called when the service no longer accepts this session.
        """
        super().__init__(name="heartbeat", daemon=True)
        self.fatal: CiphermarkError | None = None
        """Why the service no longer accepts this session: the agent was revoked, or another session took over."""
        self._on_fatal = on_fatal
        self._heartbeats = heartbeats
        self._delivery = delivery
        self._preflight = preflight
        self._stopped = threading.Event()
        self._due = threading.Event()
        self._unreachable = False
        self._journal_checked_at = time.monotonic()

    def run(self) -> None:
        """Send a heartbeat every `INTERVAL_SECONDS`."""
        while True:
            self._due.wait(INTERVAL_SECONDS)
            self._due.clear()
            if self._stopped.is_set():
                return
            try:
                self._run_once()
            except Exception:  # The outermost loop of this thread: without heartbeats the agent would appear dead.
                _log.exception("heartbeat failed")

    def send_soon(self) -> None:
        """Send the next heartbeat now, because users and runs wait for the new state."""
        self._due.set()

    def stop(self) -> None:
        """End the thread after its current heartbeat."""
        self._stopped.set()
        self._due.set()
        self.join(timeout=5)

    def _check_journal(self) -> None:
        if time.monotonic() - self._journal_checked_at >= JOURNAL_CHECK_SECONDS:
            self._journal_checked_at = time.monotonic()
            self._heartbeats.journal.check()

    def _run_once(self) -> None:
        try:
            # Records first: a service that was unreachable then has them before it compares held jobs with sent ones.
            if self._heartbeats.status.snapshot().state != "executing":
                self._check_journal()
                self._delivery.flush()
            self._heartbeats.send()
            self._preflight.send_waiting()
            self._unreachable = False
        except Unreachable as error:
            if not self._unreachable:
                _log.warning("service unreachable", error=str(error))
            self._unreachable = True
        except (SecondSession, Unauthorized, Forbidden) as error:
            _log.error("session ended by the service", error=str(error))
            self.fatal = error
            self._heartbeats.status.shut_down()
            self._on_fatal()
            self._stopped.set()
        except CiphermarkError as error:
            _log.error("service rejected a heartbeat", error=str(error))
