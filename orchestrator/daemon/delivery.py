"""Brings the journal's records to the service: between executions, never during one."""

import threading
import time

import structlog

from orchestrator.daemon.journal import Journal, Waiting
from orchestrator.daemon.service_client import ServiceClient
from orchestrator.errors import CiphermarkError, InvalidRequest, Unreachable

INTERVAL_SECONDS = 1.0
"""While a job is in work: often enough for a progress bar, seldom enough to cost nothing."""
_LONGEST_WAIT_SECONDS = 5.0
"""Between two tries while the service is away: a run has to go on soon after it is back."""

_log = structlog.get_logger(__name__)


class Delivery:
    """Sends waiting records in batches; may be asked from several threads, and sends from one at a time."""

    def __init__(self, journal: Journal, client: ServiceClient, batch_records: int) -> None:
        """Deliver what the journal holds through the client."""
        self._journal = journal
        self._client = client
        self._batch_records = batch_records
        self._lock = threading.Lock()
        self._next_at = 0.0
        self._failures = 0
        self.measuring = threading.Lock()
        """Held by the executor during each execution; delivery waits for it."""

    def between_executions(self) -> None:
        """Send one batch if enough waits or enough time has passed; never raises."""
        if time.monotonic() >= self._next_at and self._lock.acquire(blocking=False):
            try:
                self._batch()
            finally:
                self._lock.release()

    def flush(self) -> bool:
        """Send everything that waits; returns False when the service is away."""
        with self._lock:
            while self._journal.waiting_count():
                with self.measuring:
                    if not self._batch():
                        return False
        return True

    def _batch(self) -> bool:
        """Send one batch, and note when the next one may follow."""
        waiting = self._journal.waiting(self._batch_records)
        began_at = time.monotonic()
        try:
            self._send(waiting)
        except CiphermarkError as error:
            self._failures += 1
            if self._failures == 1 or not isinstance(error, Unreachable):
                _log.warning("records wait", waiting=len(waiting.numbers), error=str(error))
            # A network that swallows packets costs the whole timeout at each try: then try seldom.
            pause = max(min(_LONGEST_WAIT_SECONDS, 2.0 ** (self._failures - 1)), 5 * (time.monotonic() - began_at))
            self._next_at = time.monotonic() + pause
            return False
        self._failures = 0
        self._next_at = time.monotonic() + INTERVAL_SECONDS
        return True

    def _send(self, waiting: Waiting) -> None:
        if not waiting.numbers:
            return
        try:
            answer = self._client.send_records('{"records":[' + ",".join(waiting.documents) + "]}")
        except InvalidRequest as error:
            if len(waiting.numbers) == 1:
                # Nothing that we could say again would please the service; it must not hold up the others.
                _log.error("record refused", record=waiting.documents[0][:500], error=str(error))
                self._journal.mark_delivered(waiting.numbers)
                return
            half = len(waiting.numbers) // 2
            self._send(Waiting(waiting.numbers[:half], waiting.documents[:half]))
            self._send(Waiting(waiting.numbers[half:], waiting.documents[half:]))
            return
        for name, reason in answer.refused.items():
            _log.error("record refused", execution=name, reason=reason)
        self._journal.mark_delivered(waiting.numbers)
