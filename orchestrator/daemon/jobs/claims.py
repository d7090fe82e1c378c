"""Claims jobs from the service before they are executed, and releases jobs that were stopped."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import structlog

from orchestrator.daemon.jobs.journal.file import DiskFull
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.session.active_job import StopReason
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.shared.errors import CiphermarkError, Conflict, NotFound, Unreachable
from orchestrator.shared.values.boot_clock import boot_time
from orchestrator.wire.jobs import Claim, ClaimGranted, JobMessage, Release

Disposition = Literal["acknowledge", "requeue"]
"""Whether a message is removed from the queue or returned to it."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class AgentSession:
    """The agent and the daemon session that execute the jobs."""

    agent_id: str
    session_id: str
    inventory_sha256: str


class Claims:
    """Claims and releases jobs; the journal keeps the attempt for a restart while the service is unreachable."""

    def __init__(self, client: ServiceClient, journal: Journal, session: AgentSession) -> None:
        """Claim through the client, in the name of the session."""
        self.session = session
        self.answered_boot_ns: int | None = None
        """Moment of the answer to the latest claim, CLOCK_BOOTTIME; None if it was not answered."""
        self._client = client
        self._journal = journal

    def claim(self, job: JobMessage) -> ClaimGranted | None:
        """Return the granted claim, or None when the job must not be executed.

        While the service is unreachable the job is executed: its records are accepted or refused later.
        """
        self.answered_boot_ns = None
        try:
            answer = self._client.claim(job.job_id, Claim(session_id=self.session.session_id))
        except Unreachable as error:
            _log.warning("claim not answered; executing the job", job_id=job.job_id, error=str(error))
            return ClaimGranted(attempt=self._journal.attempt_of(job.job_id))
        except (Conflict, NotFound) as error:
            _log.info("claim refused: job no longer needed", job_id=job.job_id, reason=str(error), **error.facts)
            if error.facts.get("state") != "paused":
                _tidy(lambda: self._journal.forget_attempts(job.job_id))
            return None
        except CiphermarkError as error:
            _log.error("claim refused", job_id=job.job_id, error=str(error))
            return None
        self.answered_boot_ns = boot_time().at_ns
        _tidy(lambda: self._journal.store_attempt(job.job_id, answer.attempt))
        return answer

    def finish(self, job: JobMessage, stopped: StopReason | None) -> Disposition:
        """Prune the journal; release the job if it was stopped before its end."""
        _tidy(self._journal.prune)
        return "acknowledge" if stopped is None else self._release(job, stopped)

    def _release(self, job: JobMessage, reason: StopReason) -> Disposition:
        try:
            self._client.release(job.job_id, Release(session_id=self.session.session_id, reason=reason))
        except Unreachable as error:
            # The service does not know that the job was stopped, so the message has to stay in the queue.
            _log.warning("release not answered; requeueing the message", job_id=job.job_id, error=str(error))
            return "requeue"
        except CiphermarkError as error:
            _log.info("release refused: not necessary", job_id=job.job_id, reason=str(error))
        if reason == "cancelled":
            _tidy(lambda: self._journal.forget_attempts(job.job_id))
        return "acknowledge"


def _tidy(write: Callable[[], object]) -> None:
    """Write what the journal can do without; only records wait for room on a full disk."""
    try:
        write()
    except DiskFull as error:
        _log.warning("journal not tidied: disk full", error=str(error))
