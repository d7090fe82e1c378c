"""Handles messages from the agent's queue: validate, claim, execute, deliver, acknowledge."""

import structlog
from pydantic import ValidationError

from orchestrator.daemon.builds.builder import Builder
from orchestrator.daemon.health.preflight import PreflightReports
from orchestrator.daemon.jobs.cases import RETRY_SECONDS
from orchestrator.daemon.jobs.claims import Claims, Disposition
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.executor import Executor
from orchestrator.daemon.jobs.records import RecordContext
from orchestrator.daemon.jobs.room import Room
from orchestrator.daemon.session.active_job import ActiveJob
from orchestrator.daemon.session.status import Status
from orchestrator.shared.values.field_errors import expectation
from orchestrator.wire.jobs import ClaimGranted, JobMessage

_log = structlog.get_logger(__name__)


class JobHandler:
    """Handles one message at a time; a message that is not a job of this agent is dropped."""

    def __init__(
        self,
        *,
        status: Status,
        claims: Claims,
        builder: Builder,
        preflight: PreflightReports,
        executor: Executor,
        delivery: Delivery,
        room: Room,
    ) -> None:
        """Create a handler."""
        self._room = room
        self._status = status
        self._claims = claims
        self._builder = builder
        self._preflight = preflight
        self._executor = executor
        self._delivery = delivery

    def handle(self, body: object) -> Disposition:
        """Handle a message and return whether it is acknowledged or requeued."""
        job = self._validate(body)
        if job is None:
            return "acknowledge"
        # Accepted before the machine is free: the service would resend a job that no heartbeat lists.
        with self._status.accept(job.job_id) as active, self._builder.machine_lock.held():
            while (obstacle := self._room.obstacle()) is not None:
                if not active.wait_out(obstacle, RETRY_SECONDS):
                    return "requeue"
            # Records of a session that crashed count as progress of the job, so that the claim must follow them.
            self._delivery.flush_job(job.job_id)
            claim = self._claims.claim(job)
            return "acknowledge" if claim is None else self._execute(job, claim, active)

    def _validate(self, body: object) -> JobMessage | None:
        try:
            job = JobMessage.model_validate(body, strict=False)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            _log_dropped(body, f"not a job: {field}: {expectation(first)}")
            return None
        if job.agent_id != self._claims.session.agent_id:
            _log_dropped(body, f"job of another agent: {job.agent_id}")
            return None
        return job

    def _execute(self, job: JobMessage, claim: ClaimGranted, active: ActiveJob) -> Disposition:
        attempt = claim.attempt
        active.start(attempt)
        _log.info("job started", job_id=job.job_id, run_id=job.run_id, attempt=attempt, executions=len(job.executions))
        self._preflight.before_job(job.run_id)
        session = self._claims.session
        context = RecordContext(
            job,
            attempt,
            session.session_id,
            session.inventory_sha256,
            frozenset(claim.recorded),
            claim_id=claim.claim_id,
            claimed_boot_ns=self._claims.answered_boot_ns,
        )
        outcome = self._executor.execute(context, active)
        delivered = self._delivery.flush()
        _log.info("job ended", job_id=job.job_id, outcome=outcome, delivered=delivered)
        return self._claims.finish(job, None if outcome == "done" else outcome)


def _log_dropped(body: object, reason: str) -> None:
    text = repr(body)
    _log.error("message dropped", reason=reason, characters=len(text), begins=text[:200])
