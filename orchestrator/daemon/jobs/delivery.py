"""Delivery of the journal's records to the service: after they are stored, on another core than the runners.

On a machine with one core records are sent between executions, never during one.
"""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import structlog

from orchestrator.daemon.jobs.journal.journal import Journal, UndeliveredRecords
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.measuring_lock import MeasuringLock
from orchestrator.shared.errors import CiphermarkError, InvalidRequest, Unreachable
from orchestrator.wire.records import MAX_BATCH_BYTES, RecordBatchResponse

BATCH_RECORDS = 200
"""Maximum number of records in one request."""
INTERVAL_SECONDS = 1.0
"""Interval between two batches of a running job."""
_MAX_WAIT_SECONDS = 5.0
"""Maximum pause between two attempts while the service is unreachable."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _SentBatch:
    """A batch that was sent, or is being sent, and not answered yet."""

    waiting: UndeliveredRecords
    sent_at: float
    answer: "Future[RecordBatchResponse]"


class Delivery:
    """Sends undelivered records in batches, one at a time. Every method may be called from any thread.

    A batch is sent after a record is stored. The response is read after a later one, while the service processes the
    batch in the meantime.
    """

    def __init__(self, journal: Journal, client: ServiceClient, batch_records: int = BATCH_RECORDS) -> None:
        """Deliver the journal's records through the client."""
        self._journal = journal
        self._client = client
        self._batch_records = batch_records
        self._lock = threading.Lock()
        self._sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="delivery")
        self._sent: _SentBatch | None = None
        self._next_at = 0.0
        self._failures = 0
        self.measuring = MeasuringLock()
        """Held by the executor while runners work; `flush` waits for it."""

    def after_record(self) -> None:
        """Send one batch if the interval has passed and no other is unanswered; never raises and never waits."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._sent is not None and self._sent.answer.done():
                self._settle(self._sent)
            if self._sent is None and time.monotonic() >= self._next_at:
                self._send_batch()
        finally:
            self._lock.release()

    def flush(self) -> bool:
        """Send all undelivered records and wait for the responses; return False if the service is unreachable."""
        with self._lock:
            while True:
                if self._sent is None and self._journal.waiting_count():
                    with self.measuring:
                        self._send_batch()
                if self._sent is None:
                    return True
                if not self._settle(self._sent):
                    return False

    def flush_job(self, job_id: int) -> None:
        """Send all undelivered records if some of them belong to this job."""
        if job_id in self._journal.waiting_jobs():
            self.flush()

    def close(self) -> None:
        """Wait until the sent batch is answered; the next session sends its records again."""
        self._sender.shutdown(wait=True)

    def _send_batch(self) -> None:
        """Send the next batch and return when its last byte was handed to the network."""
        self._next_at = time.monotonic() + INTERVAL_SECONDS
        waiting = within_bytes(self._journal.waiting(self._batch_records), MAX_BATCH_BYTES)
        if not waiting:
            return
        left = threading.Event()
        answer = self._sender.submit(self._client.send_records, _batch_of(waiting), left.set)
        answer.add_done_callback(lambda _: left.set())  # the request may fail before that
        self._sent = _SentBatch(waiting, time.monotonic(), answer)
        left.wait()

    def _settle(self, batch: _SentBatch) -> bool:
        """Wait for the response to the batch and mark its records; return False if it must be sent again."""
        self._sent = None
        try:
            self._mark(batch.waiting, batch.answer.result())
        except InvalidRequest as error:
            return self._bisect(batch.waiting, error)
        except CiphermarkError as error:
            return self._postpone(batch, error)
        self._failures = 0
        return True

    def _postpone(self, batch: _SentBatch, error: CiphermarkError) -> bool:
        self._failures += 1
        if self._failures == 1 or not isinstance(error, Unreachable):
            _log.warning("records not delivered", waiting=len(batch.waiting), error=str(error))
        # On a network that drops packets each attempt takes the full timeout, so attempts become rare.
        elapsed = time.monotonic() - batch.sent_at
        pause_seconds = max(min(_MAX_WAIT_SECONDS, 2.0 ** (self._failures - 1)), 5 * elapsed)
        requested = error.facts.get("retry_after_seconds")
        if isinstance(requested, int):
            pause_seconds = max(pause_seconds, requested)
        self._next_at = time.monotonic() + pause_seconds
        return False

    def _bisect(self, waiting: UndeliveredRecords, error: InvalidRequest) -> bool:
        """Find the record that the service rejects, so that it does not block the others."""
        if len(waiting) == 1:
            # The service rejected the payload; retrying cannot succeed.
            _log.error("service rejected a record", record=next(iter(waiting.values()))[:500], error=str(error))
            self._journal.mark_delivered(waiting)
            return True
        records, half = list(waiting.items()), len(waiting) // 2
        halves = [self._send_now(dict(part)) for part in (records[:half], records[half:])]
        return all(halves)

    def _send_now(self, waiting: UndeliveredRecords) -> bool:
        try:
            self._mark(waiting, self._client.send_records(_batch_of(waiting)))
        except InvalidRequest as error:
            return self._bisect(waiting, error)
        except CiphermarkError as error:
            _log.warning("records not delivered", waiting=len(waiting), error=str(error))
            return False
        return True

    def _mark(self, waiting: UndeliveredRecords, answer: RecordBatchResponse) -> None:
        for name, reason in answer.refused.items():
            _log.error("service rejected a record", execution=name, reason=reason)
        self._journal.mark_delivered(waiting)


def within_bytes(waiting: UndeliveredRecords, max_bytes: int) -> UndeliveredRecords:
    """Return the first records that have at most this many bytes together, but at least one record."""
    total_bytes = 0
    for count, document in enumerate(waiting.values()):
        total_bytes += len(document)
        if total_bytes > max_bytes and count:
            return dict(islice(waiting.items(), count))
    return waiting


def _batch_of(waiting: UndeliveredRecords) -> str:
    return '{"records":[' + ",".join(waiting.values()) + "]}"
