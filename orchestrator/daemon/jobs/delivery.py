"""Brings the journal's records to the service: between executions, never during one."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import structlog

from orchestrator.daemon.jobs.journal import Journal, Waiting
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.errors import CiphermarkError, InvalidRequest, Unreachable
from orchestrator.wire.records import RecordBatchResponse

BATCH_RECORDS = 200
"""Records in one request at most."""
INTERVAL_SECONDS = 1.0
"""While a job is in work: often enough for a progress bar, seldom enough to cost nothing."""
_LONGEST_WAIT_SECONDS = 5.0
"""Between two tries while the service is away: a run has to go on soon after it is back."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _OnItsWay:
    """A batch that has left this machine, or is leaving it; its answer comes later."""

    waiting: Waiting
    began_at: float
    answer: "Future[RecordBatchResponse]"


class Delivery:
    """Sends waiting records in batches; may be asked from several threads, and has one batch on its way at a time.

    A batch leaves this machine between two executions. While the service thinks about it, the next execution begins:
    its answer is fetched between two later ones.
    """

    def __init__(self, journal: Journal, client: ServiceClient, batch_records: int = BATCH_RECORDS) -> None:
        """Deliver what the journal holds through the client."""
        self._journal = journal
        self._client = client
        self._batch_records = batch_records
        self._lock = threading.Lock()
        self._sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="delivery")
        self._on_its_way: _OnItsWay | None = None
        self._next_at = 0.0
        self._failures = 0
        self.measuring = threading.Lock()
        """Held by the executor during each execution; delivery waits for it."""

    def between_executions(self) -> None:
        """Send one batch if enough time has passed and none is on its way; never raises, never waits for an answer."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._on_its_way is not None and self._on_its_way.answer.done():
                self._settle(self._on_its_way)
            if self._on_its_way is None and time.monotonic() >= self._next_at:
                self._set_out()
        finally:
            self._lock.release()

    def flush(self) -> bool:
        """Send everything that waits and wait for the answers; returns False when the service is away."""
        with self._lock:
            while True:
                if self._on_its_way is None and self._journal.waiting_count():
                    with self.measuring:
                        self._set_out()
                if self._on_its_way is None:
                    return True
                if not self._settle(self._on_its_way):
                    return False

    def close(self) -> None:
        """Wait for the batch that is on its way; what it brought stays in the journal unless it was answered for."""
        self._sender.shutdown(wait=True)

    def _set_out(self) -> None:
        """Send the next batch and return as soon as its last byte has left."""
        self._next_at = time.monotonic() + INTERVAL_SECONDS
        waiting = self._journal.waiting(self._batch_records)
        if not waiting.numbers:
            return
        left = threading.Event()
        answer = self._sender.submit(self._client.send_records, _batch_of(waiting), left.set)
        answer.add_done_callback(lambda _: left.set())  # it may fail before it leaves
        self._on_its_way = _OnItsWay(waiting, time.monotonic(), answer)
        left.wait()

    def _settle(self, batch: _OnItsWay) -> bool:
        """Wait for the answer to the batch and note what it says; False when the batch has to be sent again."""
        self._on_its_way = None
        try:
            self._mark(batch.waiting, batch.answer.result())
        except InvalidRequest as error:
            return self._divide(batch.waiting, error)
        except CiphermarkError as error:
            return self._postpone(batch, error)
        self._failures = 0
        return True

    def _postpone(self, batch: _OnItsWay, error: CiphermarkError) -> bool:
        self._failures += 1
        if self._failures == 1 or not isinstance(error, Unreachable):
            _log.warning("records wait", waiting=len(batch.waiting.numbers), error=str(error))
        # A network that swallows packets costs the whole timeout at each try: then try seldom.
        lasted = time.monotonic() - batch.began_at
        self._next_at = time.monotonic() + max(min(_LONGEST_WAIT_SECONDS, 2.0 ** (self._failures - 1)), 5 * lasted)
        return False

    def _divide(self, waiting: Waiting, error: InvalidRequest) -> bool:
        """Find the record that the service cannot read: it must not hold up the others."""
        if len(waiting.numbers) == 1:
            # Nothing that we could say again would please the service.
            _log.error("record refused", record=waiting.documents[0][:500], error=str(error))
            self._journal.mark_delivered(waiting.numbers)
            return True
        half = len(waiting.numbers) // 2
        first = self._send_now(Waiting(waiting.numbers[:half], waiting.documents[:half]))
        second = self._send_now(Waiting(waiting.numbers[half:], waiting.documents[half:]))
        return first and second

    def _send_now(self, waiting: Waiting) -> bool:
        try:
            self._mark(waiting, self._client.send_records(_batch_of(waiting)))
        except InvalidRequest as error:
            return self._divide(waiting, error)
        except CiphermarkError as error:
            _log.warning("records wait", waiting=len(waiting.numbers), error=str(error))
            return False
        return True

    def _mark(self, waiting: Waiting, answer: RecordBatchResponse) -> None:
        for name, reason in answer.refused.items():
            _log.error("record refused", execution=name, reason=reason)
        self._journal.mark_delivered(waiting.numbers)


def _batch_of(waiting: Waiting) -> str:
    return '{"records":[' + ",".join(waiting.documents) + "]}"
