"""What happens with a message of the queue: validated, claimed, executed, its records delivered, let go."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import structlog
from pydantic import ValidationError

from orchestrator.daemon.builds.builder import Workshop
from orchestrator.daemon.health.preflight import PreflightReports
from orchestrator.daemon.jobs.dead_letters import SetAside
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.disk import DiskFull
from orchestrator.daemon.jobs.executor import Executor, Outcome
from orchestrator.daemon.jobs.journal import Journal
from orchestrator.daemon.jobs.records import RecordContext
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.errors import CiphermarkError, Conflict, NotFound, Unreachable
from orchestrator.wire.jobs import Claim, JobMessage, Release

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class AgentSession:
    """Who handles the jobs."""

    agent_id: str
    session_id: str
    inventory_sha256: str


@dataclass(frozen=True)
class HandlerParts:
    """What a handler works with."""

    session: AgentSession
    client: ServiceClient
    journal: Journal
    delivery: Delivery
    status: Status
    executor: Executor
    set_aside: SetAside
    workshop: Workshop
    preflight: PreflightReports


class JobHandler:
    """Handles one message at a time. A message it cannot use is set aside and costs the worker nothing."""

    def __init__(self, parts: HandlerParts) -> None:
        """Work with these parts."""
        self._parts = parts

    def handle(self, body: object) -> Literal["settled", "give-back"]:
        """Handle a message; ``give-back`` asks the caller to put it back into the queue."""
        job = self._validated(body)
        if job is None:
            return "settled"
        status = self._parts.status
        # Held while a build is in work, too: the service would send it again otherwise.
        status.hold(job.job_id, 0)
        try:
            with self._parts.workshop.turns.take():
                return self._in_turn(job)
        finally:
            status.let_go(job.job_id)

    def _in_turn(self, job: JobMessage) -> Literal["settled", "give-back"]:
        try:
            attempt = self._claim(job)
            return "settled" if attempt is None else self._execute(job, attempt)
        finally:
            self._parts.status.tell("ready")

    def _validated(self, body: object) -> JobMessage | None:
        try:
            job = JobMessage.model_validate(body, strict=False)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            self._parts.set_aside.keep(body, f"not a job: {place}: {first['msg']}")
            return None
        if job.agent_id != self._parts.session.agent_id:
            self._parts.set_aside.keep(body, f"a job of agent {job.agent_id}")
            return None
        return job

    def _claim(self, job: JobMessage) -> int | None:
        """Return the attempt, or None when the job is not to be executed. A service that is away forbids nothing."""
        parts = self._parts
        try:
            answer = parts.client.claim(job.job_id, Claim(session_id=parts.session.session_id))
        except Unreachable as error:
            _log.warning("claim unanswered, going on", job_id=job.job_id, error=str(error))
            return parts.journal.attempt_of(job.job_id)
        except (Conflict, NotFound) as error:
            _log.info("job is not wanted", job_id=job.job_id, reason=str(error), **error.facts)
            if error.facts.get("state") != "paused":
                _tidy(lambda: parts.journal.forget_job(job.job_id))
            return None
        except CiphermarkError as error:
            _log.error("claim refused", job_id=job.job_id, error=str(error))
            return None
        _tidy(lambda: parts.journal.note_attempt(job.job_id, answer.attempt))
        return answer.attempt

    def _execute(self, job: JobMessage, attempt: int) -> Literal["settled", "give-back"]:
        parts = self._parts
        parts.status.hold(job.job_id, attempt)
        session = parts.session
        context = RecordContext(job, attempt, session.session_id, session.inventory_sha256)
        _log.info("job begins", job_id=job.job_id, run_id=job.run_id, attempt=attempt, executions=len(job.executions))
        parts.workshop.bring_back(
            {case.build_key for case in job.cases}, lambda: parts.status.stop_reason(job.job_id) is not None
        )
        parts.preflight.before_job(job.run_id)
        outcome = parts.executor.execute(context)
        delivered = parts.delivery.flush()
        _log.info("job ends", job_id=job.job_id, outcome=outcome, delivered=delivered)
        _tidy(parts.journal.prune)
        if outcome == "done":
            return "settled"
        return self._release(job, outcome)

    def _release(self, job: JobMessage, outcome: Outcome) -> Literal["settled", "give-back"]:
        parts = self._parts
        if outcome == "done":
            return "settled"
        try:
            parts.client.release(job.job_id, Release(session_id=parts.session.session_id, reason=outcome))
        except Unreachable as error:
            # Nobody knows that it was stopped: it has to be found in the queue again.
            _log.warning("release unanswered, giving the message back", job_id=job.job_id, error=str(error))
            return "give-back"
        except CiphermarkError as error:
            _log.info("release was not needed", job_id=job.job_id, reason=str(error))
        if outcome == "cancelled":
            _tidy(lambda: parts.journal.forget_job(job.job_id))
        return "settled"


def _tidy(write: Callable[[], object]) -> None:
    """Write what the journal can do without; a full disk is waited for where a record has to be kept."""
    try:
        write()
    except DiskFull as error:
        _log.warning("journal not tidied", error=str(error))
