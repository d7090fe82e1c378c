"""The heartbeat thread: tells the service every two seconds what the daemon holds, and takes its stop orders."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from orchestrator.daemon.builds.orders import BuildOrders
from orchestrator.daemon.health.order import CheckOrder
from orchestrator.daemon.health.preflight import PreflightReports
from orchestrator.daemon.health.sensor_series import ReadingBuffer
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal import Journal
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.status import Status, with_undelivered
from orchestrator.errors import CiphermarkError, Forbidden, InvalidRequest, SecondSession, Unauthorized, Unreachable
from orchestrator.wire.agents import InventoryReport
from orchestrator.wire.heartbeats import INTERVAL_SECONDS, Heartbeat, HeartbeatResponse

FIRST_HEARTBEAT_SECONDS = 20.0
"""A daemon that was just killed counts as alive for some seconds more; its successor is as patient as that."""

_log = structlog.get_logger(__name__)


@dataclass
class Heartbeats:
    """What heartbeats are made of."""

    client: ServiceClient
    status: Status
    journal: Journal
    session_id: str
    inventory: InventoryReport | None = None
    """Sent when the service asks for it."""
    orders: BuildOrders = field(default_factory=BuildOrders)
    """What answers say about builds."""
    checks: CheckOrder = field(default_factory=CheckOrder)
    """Whether answers ask for a check of the machine's health."""
    readings: ReadingBuffer = field(default_factory=ReadingBuffer)
    """Of the sensors; dropped when the heartbeat with them was answered."""

    def beat(self) -> HeartbeatResponse:
        """Send one heartbeat and follow its answer."""
        asked_at = time.monotonic()
        snapshot = with_undelivered(self.status.snapshot(), self.journal.waiting_jobs())
        batch = self.readings.oldest()
        heartbeat = Heartbeat(
            session_id=self.session_id,
            state=snapshot.state,
            activity=snapshot.activity,
            inventory_sha256=snapshot.inventory_sha256,
            jobs=list(snapshot.held),
            undelivered_records=self.journal.waiting_count(),
            sensor_readings=batch.readings,
        )
        try:
            answer = self.client.heartbeat(heartbeat)
        except InvalidRequest:
            # A reading that the service cannot take must not make this agent look dead.
            self.readings.answered(batch)
            raise
        self.readings.answered(batch)
        for order in answer.stop:
            _log.info("stop order", job_id=order.job_id, reason=order.reason)
            self.status.order_stop(order.job_id, order.reason)
        self.orders.hear(answer.builds, answer.keep_builds, asked_at)
        self.checks.hear(answer.check_health, asked_at)
        if answer.send_inventory and self.inventory is not None:
            self.client.report_inventory(self.inventory)
        return answer


def first_heartbeat(heartbeats: Heartbeats, seconds: float = FIRST_HEARTBEAT_SECONDS) -> HeartbeatResponse:
    """Send heartbeats until one is accepted.

    Waits for as long as it takes while the service is away; raises SecondSession when another daemon is still
    this agent after `seconds`, and Unauthorized or Forbidden at once.
    """
    refused_since: float | None = None
    told = False
    while True:
        try:
            return heartbeats.beat()
        except Unreachable as error:
            refused_since = None
            if not told:
                _log.warning("waiting for the service", error=str(error))
                told = True
        except SecondSession:
            refused_since = refused_since or time.monotonic()
            if time.monotonic() - refused_since > seconds:
                raise
        if heartbeats.status.wait_for_shutdown(1.0):
            raise Unreachable("The daemon was stopped before the service answered.")


class HeartbeatThread(threading.Thread):
    """Beats until it is stopped; between heartbeats of an idle daemon it empties the spool."""

    def __init__(
        self, heartbeats: Heartbeats, delivery: Delivery, preflight: PreflightReports, on_fatal: Callable[[], None]
    ) -> None:
        """Prepare; start() begins. on_fatal is called when the service no longer accepts this session."""
        super().__init__(name="heartbeat", daemon=True)
        self._on_fatal = on_fatal
        self._heartbeats = heartbeats
        self._delivery = delivery
        self._preflight = preflight
        self._stopped = threading.Event()
        self.fatal: CiphermarkError | None = None
        """Why the daemon had to end, if it had: revoked, or another session took over."""
        self._away = False

    def run(self) -> None:
        """Beat each two seconds."""
        while not self._stopped.wait(INTERVAL_SECONDS):
            try:
                self._once()
            except Exception:  # The outermost loop of this thread: without heartbeats the agent would count as dead.
                _log.exception("heartbeat failed")

    def stop(self) -> None:
        """End the thread after the heartbeat in work."""
        self._stopped.set()
        self.join(timeout=5)

    def _once(self) -> None:
        try:
            # Records first: a service that has just come back then knows what is done before it judges what is held.
            if self._heartbeats.status.snapshot().state != "executing":
                self._delivery.flush()
            self._heartbeats.beat()
            self._preflight.send_waiting()
            self._away = False
        except Unreachable as error:
            if not self._away:
                _log.warning("the service is away", error=str(error))
            self._away = True
        except (SecondSession, Unauthorized, Forbidden) as error:
            _log.error("this daemon may not go on", error=str(error))
            self.fatal = error
            self._heartbeats.status.shut_down()
            self._on_fatal()
            self._stopped.set()
        except CiphermarkError as error:
            _log.error("heartbeat refused", error=str(error))
