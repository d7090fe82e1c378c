"""Admission of a batch of records: each is refused, wrong for an impossible time, or accepted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.results.admission import repository
from orchestrator.results.admission.bounds import MachineFacts, broken_bound, duration_ns
from orchestrator.results.admission.claims import KnownClaim, LostPeriod, Timing, exceeded_window, started_at
from orchestrator.results.admission.control import ControlTimes, contradiction
from orchestrator.results.admission.least_work import work_of
from orchestrator.results.admission.repository import SentJob
from orchestrator.results.repository import ExecutionKey, KnownExecution
from orchestrator.service.trust.kinds import Finding
from orchestrator.shared.values.boot_clock import boot_time
from orchestrator.wire.records import Record

IMPOSSIBLE = "impossible-timing"
"""Failure of an execution whose time no machine reaches, or that does not fit into the time since its claim."""


@dataclass
class Admission:
    """Decisions on the records of a batch."""

    refused: dict[ExecutionKey, str] = field(default_factory=dict)
    failures: dict[ExecutionKey, dict[str, Any]] = field(default_factory=dict)
    """Records that are stored as wrong."""
    started_at: dict[ExecutionKey, datetime] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    reported_ns: dict[int, int] = field(default_factory=dict)
    """Time that the accepted records add to their claims."""


def admit(
    session: Session,
    agent_id: str,
    records: Mapping[ExecutionKey, Record],
    known: Mapping[ExecutionKey, KnownExecution],
) -> Admission:
    """Decide on records that match their execution; an execution with a result keeps it, so its record is ignored."""
    waiting = {
        key: record
        for key, record in records.items()
        if known[key].state == "waiting" or known[key].agent_id != agent_id
    }
    if not waiting:
        return Admission()
    jobs = {known[key].job_id for key in waiting} | {record.job_id for record in waiting.values()}
    job_ids = [job_id for job_id in jobs if job_id is not None]
    jobs_by_id = repository.sent_jobs(session, job_ids)
    batch = _Batch(
        agent_id,
        jobs_by_id,
        repository.claims_of_jobs(session, job_ids),
        [] if all(_was_sent(job) for job in jobs_by_id.values()) else repository.lost_periods(session),
        repository.machines(session, agent_id, {record.inventory_sha256 for record in waiting.values()}),
    )
    for key, record in waiting.items():
        batch.decide(key, record, known[key])
    return batch.admission


def contradictions(session: Session, case_ids: Iterable[int]) -> dict[str, list[Finding]]:
    """Return what the complete ones of these cases contradict of their agents' control workloads, by agent id."""
    found: dict[str, list[Finding]] = {}
    controls: dict[tuple[str, int], Mapping[repository.Implementation, ControlTimes]] = {}
    for (agent_id, build_id), implementation, case in repository.complete_cases(session, case_ids):
        if (agent_id, build_id) not in controls:
            controls[agent_id, build_id] = repository.control_times(session, agent_id, build_id)
        control = controls[agent_id, build_id].get(implementation)
        finding = contradiction(case, control) if control else None
        if finding is not None:
            found.setdefault(agent_id, []).append(finding)
    return found


def broken_times(database: Database) -> list[str]:
    """Return a sentence for each execution, admitted by another service, whose time breaks a bound."""
    found = []
    with database.read() as session:
        for case, repetition, times, machine in repository.stored_times(session):
            broken = broken_bound(times, work_of(case.algorithm, case.operation, case.message_bytes), machine)
            if broken is not None:
                name = f"{case.provider} {case.algorithm} {case.variant}"
                found.append(f"{name}, repetition {repetition}: {broken}")
    return found


@dataclass
class _Batch:
    """Facts that decide on the records of one batch."""

    agent_id: str
    jobs: Mapping[int, SentJob]
    claims: list[tuple[str, KnownClaim]]
    lost_periods: list[LostPeriod]
    machines: Mapping[str, MachineFacts]
    admission: Admission = field(default_factory=Admission)
    _at: datetime = field(default_factory=now)

    def __post_init__(self) -> None:
        self._boot = boot_time()
        self._own = {claim.id: claim for agent_id, claim in self.claims if agent_id == self.agent_id}

    def decide(self, key: ExecutionKey, record: Record, execution: KnownExecution) -> None:
        """Refuse, fail or accept one record."""
        if execution.agent_id != self.agent_id:
            self._refuse_foreign(key, record, execution)
            return
        if record.job_id != execution.job_id:
            self._refuse_unclaimed(key, record, f"it names job {record.job_id}, its execution is in {execution.job_id}")
            return
        job = self.jobs.get(record.job_id)
        claim = self._own.get(record.claim_id or 0)
        if claim is not None and (claim.job_id, claim.session_id) != (record.job_id, record.session_id):
            claim = None
        has_claim = any(one.job_id == record.job_id for one in self._own.values())
        # A restored database has forgotten that it sent a job.
        is_forgotten = any(period.explains(record.job_id, _timing(record)) for period in self.lost_periods)
        if job is None or not (_was_sent(job) or has_claim or is_forgotten):
            self._refuse_unclaimed(key, record, f"job {record.job_id} was neither claimed by nor sent to this agent")
            return
        self._check_times(key, record, execution, claim, job)

    def _check_times(
        self, key: ExecutionKey, record: Record, execution: KnownExecution, claim: KnownClaim | None, job: SentJob
    ) -> None:
        timing = _timing(record)
        self.admission.started_at[key] = started_at(claim, timing, job.sent_at, self._at)
        machine = self.machines.get(record.inventory_sha256, MachineFacts())
        work = work_of(execution.algorithm, execution.operation, execution.message_bytes)
        broken = broken_bound(record, work, machine)
        if broken is not None:
            self._fail(key, record, Finding("impossible-time", broken))
            return
        if claim is None:
            return
        exceeded = exceeded_window(claim, timing, self._boot)
        if exceeded is not None:
            self._fail(key, record, Finding("claim-exceeded", exceeded))
            return
        claim.reported_ns += timing.duration_ns
        reported = self.admission.reported_ns
        reported[claim.id] = reported.get(claim.id, 0) + timing.duration_ns

    def _fail(self, key: ExecutionKey, record: Record, finding: Finding) -> None:
        detail = finding.detail[:1].upper() + finding.detail[1:]
        self.admission.failures[key] = {"error": IMPOSSIBLE, "detail": f"Impossible time: {detail}"}
        self._note(record, finding.kind, finding.detail, proven=True)

    def _refuse_foreign(self, key: ExecutionKey, record: Record, execution: KnownExecution) -> None:
        """Refuse a record for another agent's execution; accuse the sender unless an honest daemon could send it.

        After a restore of the service's database, numbers of cases and jobs are assigned again: records of an earlier
        run then name executions of a run that was submitted after they were made. A record that names a session of the
        owner comes from a copied journal.
        """
        self.admission.refused[key] = f"this is an execution of agent {execution.agent_id}, sent by {self.agent_id}"
        job = self.jobs.get(execution.job_id or 0)
        copied = any(
            claim.session_id == record.session_id for agent_id, claim in self.claims if agent_id == execution.agent_id
        )
        stale = job is None or record.started_at < job.submitted_at or job.owner_is_revoked
        detail = f"case {record.case_id}, repetition {record.repetition} belongs to agent {execution.agent_id}."
        self._note(record, "foreign-record", detail, proven=not (copied or stale))

    def _refuse_unclaimed(self, key: ExecutionKey, record: Record, reason: str) -> None:
        self.admission.refused[key] = reason
        # An agent can send this in good faith: a restored database has forgotten that it sent the job.
        self._note(record, "unclaimed-record", f"{reason}.", proven=False)

    def _note(self, record: Record, kind: Any, detail: str, *, proven: bool) -> None:
        evidence = {name: getattr(record, name) for name in ("case_id", "repetition", "purpose", "job_id", "claim_id")}
        evidence |= {"session_id": record.session_id, "output_sha256": record.output_sha256}
        self.admission.findings.append(Finding(kind, detail, evidence, proven))


def _was_sent(job: SentJob) -> bool:
    return job.sent_at is not None or job.attempts > 0


def _timing(record: Record) -> Timing:
    return Timing(duration_ns(record), record.since_claim_ns, record.started_at)
