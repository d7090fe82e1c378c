"""Health checks: requested, reported, judged and listed; the current speed can be accepted as the new baseline."""

from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy.orm import Session

from orchestrator.agents import repository
from orchestrator.agents.health import repository as checks
from orchestrator.agents.health.judgment import HealthJudgment, Limits, baseline_key, is_disturbed, judge
from orchestrator.agents.schemas import HealthCheckCreated, HealthCheckSummary
from orchestrator.builds import repository as builds
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Inventory, now
from orchestrator.database.models import HealthCheck as CheckRow
from orchestrator.service.events import repository as events
from orchestrator.service.pagination import Page
from orchestrator.shared.errors import Conflict, NotFound
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.health import HealthCheckReport

CHECK_INTERVAL = timedelta(hours=4)
QUARANTINE_CHECK_INTERVALS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15))
"""Intervals after the first, second and every later check with which an agent is quarantined: a busy one returns."""

_log = structlog.get_logger(__name__)


def is_due(session: Session, agent: Agent, at: datetime) -> bool:
    """Return whether a health check of the agent was requested or is older than its interval."""
    checked_at = agent.health_checked_at
    if agent.health_check_requested or checked_at is None:
        return True
    interval = CHECK_INTERVAL
    # No health check ends the quarantine for a false report.
    if agent.health == "quarantined" and agent.distrusted_at is None:
        failed = checks.count_quarantined(session, agent.id, len(QUARANTINE_CHECK_INTERVALS))
        interval = QUARANTINE_CHECK_INTERVALS[max(failed, 1) - 1]
    return at - checked_at >= interval


def report_check(
    database: Database, agent_id: str, check: HealthCheckReport, settings: ServiceSettings
) -> HealthCheckCreated:
    """Judge and store a health check and set the agent's health; the same check again changes nothing.

    Raises NotFound for a build that this agent has not reported.
    """
    limits = Limits(settings.degraded_drift, settings.quarantine_drift)
    with database.write() as session:
        agent = repository.get_agent(session, agent_id)
        build = builds.find_build_by_key(session, agent_id, check.build_key)
        if build is None:
            raise NotFound(
                f"Agent {agent_id} has not reported a build {check.build_key[:12]}.",
                remedy="Report it first: POST /api/v1/builds.",
            )
        row = checks.find_check(session, agent_id, build.id, check.checked_at)
        if row is None:
            row = _store(session, agent, build.id, check, limits)
        return HealthCheckCreated(id=row.id, state=row.state, reason=row.reason)


def request_check(database: Database, agent_id: str) -> None:
    """Request a health check before the agent's next job; repeating this is not an error.

    Raises NotFound, and Conflict for a revoked agent.
    """
    with database.write() as session:
        agent = repository.get_agent(session, agent_id)
        if agent.revoked_at is not None:
            raise Conflict(f"Agent {agent.name} was revoked.", remedy="Enroll the machine again with a new join token.")
        agent.health_check_requested = True


def accept_speed(database: Database, agent_id: str, settings: ServiceSettings) -> None:
    """Accept the speed of the latest check as normal: a copy of it, marked as accepted, begins a new baseline.

    Raises NotFound, and Conflict for an agent without a health check or with a disturbed one.
    """
    limits = Limits(settings.degraded_drift, settings.quarantine_drift)
    with database.write() as session:
        agent = repository.get_agent(session, agent_id)
        latest = checks.find_latest_check(session, agent_id)
        if latest is None:
            raise Conflict(
                f"Agent {agent.name} has no health check whose speed could be accepted.",
                remedy=f"Request a check first: ciphermark agents check {agent.name}.",
            )
        check = HealthCheckReport.model_validate(latest.facts["report"])
        if is_disturbed(check):
            raise Conflict(
                f"The latest health check of {agent.name} is no reference: other programs disturbed "
                f"{check.disturbed_share:.0%} of its executions.",
                remedy=f"End them and repeat the check: ciphermark agents check {agent.name}.",
            )
        row = _row(agent_id, latest.build_id, check, judge(check, [], limits), latest.facts["baseline"], accepted=True)
        row.checked_at = now()
        session.add(row)
        session.flush()
        _update_agent(session, agent, row)


def list_checks(session: Session, agent_id: str, cursor: str | None, limit: int) -> Page[HealthCheckSummary]:
    """Return a page of an agent's health checks, newest first; raises NotFound."""
    repository.get_agent(session, agent_id)
    return checks.list_checks(session, agent_id, cursor, limit).page(_show)


def _show(row: CheckRow) -> HealthCheckSummary:
    own = {name: getattr(row, name) for name in ("id", "checked_at", "state", "reason", "drift")}
    return HealthCheckSummary.model_validate({**row.facts["report"], **own, "accepted": bool(row.facts["accepted"])})


def _store(session: Session, agent: Agent, build_id: int, check: HealthCheckReport, limits: Limits) -> CheckRow:
    inventory = session.get(Inventory, agent.inventory_id) if agent.inventory_id is not None else None
    baseline = baseline_key(check.build_key, check.control, inventory.facts if inventory else {})
    judgment = judge(check, checks.list_steady_times_ns(session, agent.id, baseline), limits)
    row = _row(agent.id, build_id, check, judgment, baseline, accepted=False)
    session.add(row)
    session.flush()
    _update_agent(session, agent, row)
    return row


def _row(
    agent_id: str, build_id: int, check: HealthCheckReport, judgment: HealthJudgment, baseline: str, *, accepted: bool
) -> CheckRow:
    facts: dict[str, Any] = {
        "report": check.model_dump(mode="json"),
        "baseline": baseline,
        "steady": judgment.steady,
        "accepted": accepted,
    }
    return CheckRow(
        agent_id=agent_id,
        build_id=build_id,
        checked_at=check.checked_at,
        state=judgment.state,
        reason=judgment.reason,
        control_wall_ns=check.control.median_work_wall_ns,
        drift=judgment.drift,
        noise_floor=check.noise_floor,
        facts=facts,
    )


def _update_agent(session: Session, agent: Agent, row: CheckRow) -> None:
    """Set the agent's health to that of its newest check, and record an event."""
    before = agent.health
    # A false report is no matter of speed: only an operator ends that quarantine (orchestrator/service/trust).
    if agent.distrusted_at is None:
        agent.health, agent.health_reason = row.state, row.reason
    # By the service's clock: the clock of a device can be wrong, and its check would always or never be due.
    agent.health_checked_at = now()
    agent.health_check_requested = False
    events.note(
        session, "agent-health", None, agent.id, name=agent.name, health=agent.health, reason=agent.health_reason
    )
    _log.info("health judged", agent_id=agent.id, health=row.state, before=before, drift=row.drift, reason=row.reason)
