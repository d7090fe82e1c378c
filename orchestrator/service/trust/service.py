"""False reports: stored with their evidence; a proven one quarantines the agent until an operator trusts it again."""

from collections.abc import Iterable

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, now
from orchestrator.service.events import repository as events
from orchestrator.service.trust import repository
from orchestrator.service.trust.kinds import Finding, quarantine_reason

_log = structlog.get_logger(__name__)


def note(session: Session, agent_id: str, findings: Iterable[Finding]) -> None:
    """Store false reports in the caller's write transaction; the first proven one quarantines the agent.

    From then on its results vouch for no other agent's, so every input that it has encrypted is judged again.
    """
    for finding in findings:
        at = now()
        repository.note_false_report(session, agent_id, finding, at)
        if not finding.proven:
            continue
        reason = quarantine_reason(finding)
        if repository.distrust(session, agent_id, reason, at):
            repository.judge_again(session, agent_id)
            _note_health(session, agent_id)
            _log.error("agent quarantined for a false report", agent_id=agent_id, kind=finding.kind, reason=reason)


def trust(session: Session, agent_id: str) -> None:
    """End the quarantine of an agent for false reports; repeating this is not an error."""
    if repository.trust(session, agent_id, now()):
        repository.judge_again(session, agent_id)
        _note_health(session, agent_id)
        _log.info("agent trusted again", agent_id=agent_id)


def _note_health(session: Session, agent_id: str) -> None:
    agent = session.get_one(Agent, agent_id, populate_existing=True)
    events.note(
        session, "agent-health", None, agent_id, name=agent.name, health=agent.health, reason=agent.health_reason
    )
