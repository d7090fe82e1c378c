"""Reports of preflight checks: stored, and returned with poor results first."""

from sqlalchemy.orm import Session

from orchestrator.agents.repository import get_agent
from orchestrator.database.engine import Database
from orchestrator.database.models import PreflightReport
from orchestrator.database.rows import stored
from orchestrator.runs.preflight import repository
from orchestrator.runs.preflight.repository import ReportRow
from orchestrator.runs.preflight.schemas import PreflightReportCreated, PreflightReportDetail
from orchestrator.service.pagination import Page
from orchestrator.shared.errors import NotFound
from orchestrator.wire.health import PreflightReportMessage as ReportMessage

_ORDER = ("poor", "unknown", "good")
MAX_REPORTS_OF_RUN = 20
"""Reports shown with a run: one for each agent, and one for each restart of a daemon during the run."""


def store_report(database: Database, agent_id: str, message: ReportMessage) -> PreflightReportCreated:
    """Store a report; raises NotFound for a run without cases for this agent."""
    with database.write() as session:
        if message.run_id is not None and not repository.has_cases(session, agent_id, message.run_id):
            raise NotFound(
                f"There is no run {message.run_id} with cases for this agent.", remedy="Discard this report."
            )
        row = PreflightReport(
            agent_id=agent_id,
            run_id=message.run_id,
            checked_at=message.checked_at,
            facts=message.model_dump(mode="json"),
        )
        return PreflightReportCreated(id=stored(session, row).id)


def get_latest_report(database: Database, agent_id: str) -> PreflightReportDetail:
    """Return the newest report of an agent; raises NotFound for an unknown agent or one without a report."""
    with database.read() as session:
        get_agent(session, agent_id)
        report = find_latest_report(session, agent_id)
    if report is None:
        raise NotFound(
            f"Agent {agent_id} has not reported preflight checks yet.",
            remedy="It reports them before its next run; to run them on the device: ciphermark doctor --measuring.",
        )
    return report


def list_run_reports(session: Session, run_id: str, cursor: str | None, limit: int) -> Page[PreflightReportDetail]:
    """Return a page of the reports of a run, newest first."""
    return repository.list_run_reports(session, run_id, cursor, limit).page(_detail)


def find_latest_report(session: Session, agent_id: str) -> PreflightReportDetail | None:
    """Return the newest report of an agent, or None if there is none."""
    row = repository.find_latest_report(session, agent_id)
    return None if row is None else _detail(row)


def list_worst_reports(session: Session, run_id: str) -> list[PreflightReportDetail]:
    """Return the newest reports of a run, those with the most poor results first."""
    reports = list_run_reports(session, run_id, None, MAX_REPORTS_OF_RUN).items
    return sorted(reports, key=lambda report: (-len(report.poor), report.agent, -report.id))


def _detail(row: ReportRow) -> PreflightReportDetail:
    stored, agent_name = row
    results = ReportMessage.model_validate(stored.facts).results
    return PreflightReportDetail.from_row(
        stored,
        agent=agent_name,
        results=sorted(results, key=lambda result: (_ORDER.index(result.state), result.name)),
    )
