"""Queries and statements of the admission of records: claims, jobs, machines."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Claim, Generation, Inventory, Job, Run
from orchestrator.database.rows import changed
from orchestrator.results.admission.bounds import MachineFacts
from orchestrator.results.admission.claims import KnownClaim, LostPeriod


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
    rows = session.scalars(select(Claim).where(Claim.job_id.in_(list(job_ids))).order_by(Claim.id))
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
    found = {}
    for sha256, facts in session.execute(query):
        processor = facts.get("processor") or {}
        found[sha256] = MachineFacts(processor.get("max_frequency_hz"), processor.get("cores"))
    return found


def add_reported(session: Session, reported_ns: Mapping[int, int]) -> None:
    """Add measured time to claims, nanoseconds by id."""
    for claim_id, added in reported_ns.items():
        changed(session, update(Claim).where(Claim.id == claim_id).values(reported_ns=Claim.reported_ns + added))
