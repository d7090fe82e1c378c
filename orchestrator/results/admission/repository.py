"""Queries and statements of the admission of records: claims, jobs, machines."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import (
    Agent,
    Calibration,
    Case,
    CaseStatistics,
    Execution,
    Generation,
    GrantedClaim,
    HealthCheck,
    Inventory,
    Job,
    Run,
    Timings,
)
from orchestrator.database.rows import changed
from orchestrator.database.timings import decode
from orchestrator.results.admission.bounds import ExecutionTimes, MachineFacts
from orchestrator.results.admission.claims import KnownClaim, LostPeriod
from orchestrator.results.admission.control import ControlCase, ControlTimes
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.wire.base import NOOP

_AT_A_TIME = 1000
"""Rows that are read in one call."""


_MAX_CHECKS = 100
"""Newest health checks of a build that are compared with a case."""

Implementation = tuple[str, str, str]
"""Provider, algorithm and variant."""


class SentJob(NamedTuple):
    """A job, and whether it ever went to its agent."""

    agent_id: str
    sent_at: datetime | None
    attempts: int
    submitted_at: datetime
    """When its run was submitted."""
    owner_is_revoked: bool


def claims_of_jobs(session: Session, job_ids: Iterable[int]) -> list[tuple[str, KnownClaim]]:
    """Return the agent and each claim that was granted for these jobs."""
    rows = session.scalars(select(GrantedClaim).where(GrantedClaim.job_id.in_(list(job_ids))).order_by(GrantedClaim.id))
    return [
        (
            row.agent_id,
            KnownClaim(
                row.id, row.job_id, row.session_id, row.granted_at, row.boot_id, row.granted_boot_ns, row.reported_ns
            ),
        )
        for row in rows
    ]


def sent_jobs(session: Session, job_ids: Iterable[int]) -> dict[int, SentJob]:
    """Return these jobs."""
    query = (
        select(Job.id, Job.agent_id, Job.sent_at, Job.attempts, Run.submitted_at, Agent.revoked_at)
        .join(Run, Run.id == Job.run_id)
        .join(Agent, Agent.id == Job.agent_id)
        .where(Job.id.in_(list(job_ids)))
    )
    return {
        job_id: SentJob(agent_id, sent_at, attempts, submitted_at, revoked_at is not None)
        for job_id, agent_id, sent_at, attempts, submitted_at, revoked_at in session.execute(query)
    }


def lost_periods(session: Session) -> list[LostPeriod]:
    """Return the periods between a backup and its restore."""
    query = select(Generation.backup_made_at, Generation.began_at, Generation.first_id)
    rows = session.execute(query.where(Generation.backup_made_at.is_not(None)))
    return [LostPeriod(made_at, began_at, first_id) for made_at, began_at, first_id in rows if made_at is not None]


def machines(session: Session, agent_id: str, sha256s: Iterable[str]) -> dict[str, MachineFacts]:
    """Return the facts of an agent's inventories that bound its times, by the SHA-256 of the inventory."""
    query = select(Inventory.sha256, Inventory.facts).where(
        Inventory.agent_id == agent_id, Inventory.sha256.in_(list(sha256s))
    )
    return {sha256: MachineFacts.of(facts) for sha256, facts in session.execute(query)}


def stored_times(session: Session) -> Iterator[tuple[Case, int, ExecutionTimes, MachineFacts]]:
    """Yield the case, repetition, times and machine of each execution of the database that is ok."""
    query = (
        select(Execution, Case, Timings.columns, Inventory.facts)
        .join(Case, Case.id == Execution.case_id)
        .outerjoin(Timings, Timings.execution_id == Execution.id)
        .outerjoin(Inventory, Inventory.id == Execution.inventory_id)
        .where(Execution.state == "ok")
        .order_by(Execution.id)
        .execution_options(yield_per=_AT_A_TIME)
    )
    names = [field.name for field in fields(ExecutionTimes) if field.name != "timings"]
    for execution, case, series, facts in session.execute(query):
        timings = None if series is None else decode(series)
        times = ExecutionTimes(**{name: getattr(execution, name) for name in names}, timings=timings)
        yield case, execution.repetition, times, MachineFacts.of(facts or {})


def complete_cases(
    session: Session, case_ids: Iterable[int]
) -> list[tuple[tuple[str, int], Implementation, ControlCase]]:
    """Return the agent and build, implementation and work of those cases that are complete, with an interval."""
    waiting = exists().where(Execution.case_id == Case.id, Execution.state == "waiting")
    query = (
        select(Case, CaseStatistics.low_pass_bytes_per_second)
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(
            Case.id.in_(list(case_ids)),
            Case.protocol == "process",
            Case.shares.is_(None),
            CaseStatistics.low_pass_bytes_per_second.is_not(None),
            ~waiting,
        )
        .order_by(Case.id)
    )
    return [
        (
            (case.agent_id, case.build_id),
            (case.provider, case.algorithm, case.variant),
            ControlCase(
                case.id, case.algorithm, case.provider, case.message_bytes, case.message_bytes * NS_PER_SECOND / speed
            ),
        )
        for case, speed in session.execute(query)
        if speed
    ]


def control_times(session: Session, agent_id: str, build_id: int) -> dict[Implementation, ControlTimes]:
    """Return the control workloads of a build: one, unless the preferred implementation changed."""
    query = select(HealthCheck.facts).where(HealthCheck.agent_id == agent_id, HealthCheck.build_id == build_id)
    reports = [
        facts["report"]
        for facts in session.scalars(query.order_by(HealthCheck.checked_at.desc()).limit(_MAX_CHECKS))
        if not facts["report"]["throttled"] and facts["report"]["control"]["low_work_wall_ns"]
    ]
    noop = select(Calibration.value).where(Calibration.build_id == build_id, Calibration.kind == NOOP)
    noop_ns = session.scalar(noop.order_by(Calibration.id.desc()).limit(1)) or 0.0
    found: dict[Implementation, ControlTimes] = {}
    for report in reports:
        control = report["control"]
        key = (control["provider"], control["algorithm"], control["variant"])
        # All inputs of the control workload have the length of the newest check.
        known = found.get(key, ControlTimes(control["input_bytes"], (), noop_ns))
        if control["input_bytes"] == known.input_bytes:
            lows = (*known.low_work_wall_ns, control["low_work_wall_ns"])
            found[key] = ControlTimes(known.input_bytes, lows, noop_ns)
    return found


def add_reported(session: Session, reported_ns: Mapping[int, int]) -> None:
    """Add measured time to claims, nanoseconds by id."""
    for claim_id, added in reported_ns.items():
        changed(
            session,
            update(GrantedClaim)
            .where(GrantedClaim.id == claim_id)
            .values(reported_ns=GrantedClaim.reported_ns + added),
        )
