"""Queries for what a comparison reports about its runs: builds, inventories, preflight checks, temperatures."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Float, Integer, case, cast, func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, Execution, Inventory, PreflightReport


def inventories(session: Session, run_id: str, agent_id: str) -> Sequence[Inventory]:
    """Return the inventories of an agent during a run, oldest first."""
    used = (
        select(Execution.inventory_id).where(Execution.run_id == run_id, Execution.inventory_id.is_not(None)).distinct()
    )
    query = select(Inventory).where(Inventory.id.in_(used), Inventory.agent_id == agent_id).order_by(Inventory.id)
    return session.scalars(query).all()


def last_preflight(session: Session, run_id: str, agent_id: str) -> dict[str, Any] | None:
    """Return the latest preflight report of a run on an agent."""
    query = (
        select(PreflightReport.facts)
        .where(PreflightReport.run_id == run_id, PreflightReport.agent_id == agent_id)
        .order_by(PreflightReport.id.desc())
        .limit(1)
    )
    return session.scalar(query)


class AverageSurroundings(NamedTuple):
    """Averages over the ok timing executions of a run on an agent; None if no execution has the reading."""

    executions: int
    temperature_celsius: float | None
    frequency_hz: float | None
    throttled: int
    disturbed: int


def surroundings(session: Session, run_id: str, agent_id: str, build_ids: Collection[int]) -> AverageSurroundings:
    """Return temperature, frequency, throttling and disturbances of the executions of these builds."""
    bits = Execution.readings["throttled_bits"].as_float()
    row = session.execute(
        select(
            func.count(),
            cast(func.avg(Execution.readings["temperature_before_celsius"].as_float()), Float),
            cast(func.avg(Execution.readings["frequency_before_hz"].as_float()), Float),
            func.coalesce(func.sum(case((bits > 0, 1), else_=0)), 0),
            func.coalesce(func.sum(cast(Execution.disturbed, Integer)), 0),
        )
        .join(Case, Case.id == Execution.case_id)
        .where(
            Execution.run_id == run_id,
            Execution.state == "ok",
            Execution.purpose == "timing",
            Case.agent_id == agent_id,
            Case.build_id.in_(list(build_ids)),
        )
    ).one()
    return AverageSurroundings(*row)
