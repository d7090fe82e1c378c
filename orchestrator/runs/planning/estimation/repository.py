"""Queries for estimates: earlier results, noise floors and build durations."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Calibration, Case, CaseStatistics, Execution, Inventory
from orchestrator.runs.planning.estimation.estimate import History, Measured, MeasuredKey, Timed
from orchestrator.runs.planning.estimation.expectation import Dispersion, dispersion_of
from orchestrator.shared.values.forms import Form
from orchestrator.wire.builds import Toolchain

_KEY_COLUMNS = (
    Case.agent_id, Case.build_id, Case.provider, Case.algorithm, Case.variant, Case.message_bytes, Case.protocol,
    Case.operation, Case.associated_data_bytes, Case.key_setup, Case.timings, Case.min_timing_ms,
    Case.shares, Case.masking, Case.generator,
)  # fmt: skip


def read_history(session: Session, agent_ids: Sequence[str]) -> History:
    """Return earlier durations and the dispersion of these agents."""
    return History(_measured(session, agent_ids), _dispersions(session, agent_ids))


def build_seconds(session: Session, agent_id: str) -> dict[Toolchain | None, float]:
    """Return the duration of an agent's latest build of each toolchain; the key None is its default build."""
    rows = session.scalars(
        select(Build).where(Build.agent_id == agent_id, Build.build_wall_ns.is_not(None)).order_by(Build.id)
    )
    found: dict[Toolchain | None, float] = {}
    for build in rows:
        seconds = (build.build_wall_ns or 0) / 1e9
        found[Toolchain.model_validate(build.toolchain)] = seconds
        if build.is_default:
            found[None] = seconds
    return found


def installed_compilers(session: Session, agent_ids: Sequence[str]) -> dict[str, set[str]]:
    """Return the names of the compilers in the inventory of each of these agents."""
    rows = session.execute(
        select(Agent.id, Inventory.facts)
        .join(Inventory, Inventory.id == Agent.inventory_id)
        .where(Agent.id.in_(agent_ids))
    )
    return {agent_id: {compiler["name"] for compiler in facts["compilers"]} for agent_id, facts in rows}


def _dispersions(session: Session, agent_ids: Sequence[str]) -> dict[str, Dispersion]:
    latest = (
        select(func.max(Calibration.id))
        .where(Calibration.agent_id.in_(agent_ids), Calibration.kind == "noise-floor")
        .group_by(Calibration.agent_id)
    )
    rows = session.execute(select(Calibration.agent_id, Calibration.detail).where(Calibration.id.in_(latest)))
    details = {row.agent_id: row.detail for row in rows}
    return {agent_id: dispersion_of(details.get(agent_id)) for agent_id in agent_ids}


def _measured(session: Session, agent_ids: Sequence[str]) -> Measured:
    latest = (
        select(func.max(Case.id))
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(Case.agent_id.in_(agent_ids), CaseStatistics.ok > 0)
        .group_by(*_KEY_COLUMNS)
    )
    found: dict[MeasuredKey, float] = {}
    # Ascending, so that the entry for any build is that of the latest case.
    for row, wall_ns in sorted(
        [*_process_walls(session, Case.id.in_(latest)), *_latency_walls(session, Case.id.in_(latest))],
        key=lambda pair: pair[0].id,
    ):
        timed = None
        if row.protocol == "latency":
            timed = Timed(row.operation, row.associated_data_bytes, row.key_setup, row.timings, row.min_timing_ms)
        rest = (row.provider, row.algorithm, row.variant, row.message_bytes, timed, Form.of(row))
        for build_id in (row.build_id, None):
            found[MeasuredKey(row.agent_id, build_id, *rest)] = wall_ns / 1e9
    return found


def _process_walls(session: Session, selected: ColumnElement[bool]) -> list[tuple[Any, float]]:
    rows = session.execute(
        select(Case.id, *_KEY_COLUMNS, CaseStatistics.median_work_wall_ns)
        .join(CaseStatistics, CaseStatistics.case_id == Case.id)
        .where(selected, Case.protocol == "process", CaseStatistics.median_work_wall_ns.is_not(None))
    )
    return [(row, row.median_work_wall_ns) for row in rows]


def _latency_walls(session: Session, selected: ColumnElement[bool]) -> list[tuple[Any, float]]:
    # The summary has the time of one call; an execution takes as long as its process.
    mean = func.avg(Execution.process_wall_ns)
    rows = session.execute(
        select(Case.id, *_KEY_COLUMNS, mean.label("mean_wall_ns"))
        .join(Execution, Execution.case_id == Case.id)
        .where(selected, Case.protocol == "latency", Execution.state == "ok", Execution.process_wall_ns.is_not(None))
        .group_by(Case.id)
    )
    return [(row, float(row.mean_wall_ns)) for row in rows]
