"""Runs of earlier versions: the agents of laid-out runs are those of their cases; all agents start together."""

from datetime import UTC
from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.database.models import Run, RunAgent
from tests.support.earlier_database import AT, earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

RUN, AGENT = "laidout00001", "agent0000001"


def test_agents_of_earlier_runs_follow_from_their_cases(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0008", [
        ("agents", {"id": AGENT, "name": "pi"}),
        ("builds", {"id": 1, "agent_id": AGENT, "build_key": "2" * 64}),
        ("runs", {"id": RUN, "state": "running", "executions_total": 3, "laid_out_at": AT}),
        ("runs", {"id": "planned00001", "state": "planned", "executions_total": 3}),
        ("cases", {"id": 1, "run_id": RUN, "agent_id": AGENT, "build_id": 1, "protocol": "process"}),
        ("jobs", {"id": 1, "run_id": RUN, "agent_id": AGENT, "state": "waiting", "executions_total": 3}),
    ])  # fmt: skip
    with migrated(url) as database, database.read() as session:
        (part,) = session.scalars(select(RunAgent)).all()
        assert (part.run_id, part.agent_id, part.executions_total) == (RUN, AGENT, 3)
        assert part.laid_out_at == AT.replace(tzinfo=UTC)
        assert set(session.scalars(select(Run.start))) == {"together"}
