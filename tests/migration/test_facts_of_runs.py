"""Runs of earlier versions keep the inventory of their records, and the calibrations and health of their time."""

from datetime import UTC, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.database.models import RunAgent
from tests.support.earlier_database import AT, earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

AGENT = "agent0000001"
LATER, EARLIER = AT + timedelta(hours=1), AT - timedelta(hours=1)


def test_facts_are_those_of_the_first_job(tmp_path: Path) -> None:
    runs = ("measured0001", "calibrated01", "planned00001")
    url = earlier_database(tmp_path, "0029", [
        ("agents", {"id": AGENT, "name": "pi"}),
        *(("inventories", {"id": n, "agent_id": AGENT, "sha256": str(n) * 64}) for n in (1, 2)),
        ("builds", {"id": 1, "agent_id": AGENT, "build_key": "2" * 64}),
        *(("calibrations", {"id": n, "agent_id": AGENT, "build_id": 1, "calibrated_at": at})
          for n, at in enumerate((AT, LATER), 1)),
        *(("health_checks", {"id": n, "agent_id": AGENT, "build_id": 1, "checked_at": at, "state": state})
          for n, (at, state) in enumerate(((EARLIER, "degraded"), (LATER, "healthy")), 1)),
        *(("runs", {"id": run_id, "state": "finished"}) for run_id in runs),
        *(("run_agents", {"run_id": run_id, "agent_id": AGENT}) for run_id in runs),
        ("jobs", {"id": 1, "run_id": runs[0], "agent_id": AGENT, "started_at": AT}),
        ("jobs", {"id": 2, "run_id": runs[1], "agent_id": AGENT, "started_at": EARLIER}),
        ("cases", {"id": 1, "run_id": runs[0], "agent_id": AGENT, "build_id": 1}),
        ("executions", {"id": 1, "run_id": runs[0], "case_id": 1, "job_id": 1, "inventory_id": 1, "state": "ok"}),
    ])  # fmt: skip
    with migrated(url) as database, database.read() as session:
        found = {one.run_id: one for one in session.scalars(select(RunAgent))}
    facts = {run_id: (one.inventory_id, one.health, one.last_calibration_id) for run_id, one in found.items()}
    # The second run began before the agent was calibrated, and has shown the later noise floor since.
    assert facts == {runs[0]: (1, "degraded", 1), runs[1]: (None, "degraded", 2), runs[2]: (None, None, None)}
    assert found[runs[0]].started_at == AT.replace(tzinfo=UTC)
