"""Queries over preflight reports."""

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Case, PreflightReport
from orchestrator.service.keyset import Rows, rows_after

ReportRow = tuple[PreflightReport, str]
"""A report and the name of its agent."""


def has_cases(session: Session, agent_id: str, run_id: str) -> bool:
    """Return whether a run has cases for this agent."""
    query = select(Case.id).where(Case.run_id == run_id, Case.agent_id == agent_id).limit(1)
    return session.scalar(query) is not None


def find_latest_report(session: Session, agent_id: str) -> ReportRow | None:
    """Return the newest report of an agent, made before a run or with a health check."""
    query = _with_names().where(PreflightReport.agent_id == agent_id).order_by(PreflightReport.id.desc()).limit(1)
    row = session.execute(query).first()
    return None if row is None else (row[0], row[1])


def list_run_reports(session: Session, run_id: str, cursor: str | None, limit: int) -> Rows[ReportRow]:
    """Return a page of the reports of a run, newest first."""
    query = _with_names().where(PreflightReport.run_id == run_id)
    return rows_after(session, query, (PreflightReport.id.desc(),), cursor, limit)


def _with_names() -> Select[PreflightReport, str]:
    return select(PreflightReport, Agent.name).join(Agent, Agent.id == PreflightReport.agent_id)
