from datetime import timedelta
from pathlib import Path

import pytest

from orchestrator.cli.supervisor import local_agent
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.daemon.session.identity import IDENTITY_FILE, Identity
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, now
from orchestrator.wire.agents import EnrollmentResponse
from tests.support.migrated_database import migrated_settings

AGENT = "agent0000001"


@pytest.mark.parametrize(
    ("state", "heartbeat_after", "ready", "refusal"),
    [
        ("preparing", 1.0, False, ""), ("ready", 1.0, True, ""), ("executing", 1.0, True, ""),
        ("ready", -1.0, False, ""), ("refusing", 1.0, False, "no runners"), ("refusing", -1.0, False, ""),
    ],
)  # fmt: skip
def test_agent_is_ready_or_refuses_by_a_heartbeat_of_this_start(
    tmp_path: Path, state: str, heartbeat_after: float, ready: bool, refusal: str
) -> None:
    layout, began_at = Layout(tmp_path / "data"), now()
    layout.agent_folder.mkdir(parents=True)
    enrollment = EnrollmentResponse(
        agent_id=AGENT, name="pi", agent_token="t", broker_url="redis://localhost:1/0", broker_username="u",
        broker_password="p", key_prefix="k", queue="q",
    )  # fmt: skip
    identity = Identity(service_url="http://127.0.0.1:1", enrollment=enrollment)
    (layout.agent_folder / IDENTITY_FILE).write_text(identity.model_dump_json())
    database = Database(migrated_settings(data_folder=tmp_path / "data").resolved_database_url)
    beat_at = began_at + timedelta(seconds=heartbeat_after)
    with database.write() as session:
        session.add(
            Agent(
                id=AGENT, name="pi", broker_password_hash="0" * 64, state=state, last_heartbeat_at=beat_at,
                activity="no runners",
            )
        )  # fmt: skip
    assert local_agent.is_ready(layout, database, began_at) is ready
    assert local_agent.refusal(layout, database, began_at) == refusal
    database.close()
