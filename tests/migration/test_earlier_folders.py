"""The whole data folder of an earlier version starts with this one: nothing is lost and no agent is added."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select

from orchestrator.cli.supervisor import local_agent
from orchestrator.cli.supervisor.access import ServiceAccess
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.identity import Identity, load_identity
from orchestrator.database.models import Agent, Execution, Run
from orchestrator.shared.errors import SetupError
from orchestrator.wire.plans import Plan
from tests.support.earlier_folders import REVISIONS, earlier_folder
from tests.support.live_service import serve
from tests.support.seldom import seldom
from tests.support.waiting import GENEROUS_SECONDS

pytestmark = pytest.mark.untraced


@pytest.fixture(params=[*seldom(*list(REVISIONS)[:-1]), list(REVISIONS)[-1]])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return earlier_folder(request.param, tmp_path / "data")


def test_folder_of_an_earlier_version_keeps_its_agent_and_delivers_its_journal(folder: Path) -> None:
    layout = Layout(folder)
    before = load_identity(layout.agent_folder)
    with serve(folder) as served:
        local_agent.enroll(layout, served.database, ServiceAccess(url=served.url, token="unused"))
        local_agent.refresh_addresses(layout, served.url, before.enrollment.broker_url)
        identity = load_identity(layout.agent_folder)
        assert identity == before.model_copy(update={"service_url": served.url})
        _deliver(layout, identity)
        with served.database.read() as session:
            assert session.scalars(select(Agent.id)).all() == [identity.enrollment.agent_id]
            states = session.execute(select(Execution.state, func.count()).group_by(Execution.state)).all()
            assert [tuple(row) for row in states] == [("ok", 6)]
            readings = session.scalars(select(Execution.readings).where(Execution.call_wall_ns.is_not(None))).all()
            assert all(found is not None and "min_call_cycles" in found["absent"] for found in readings)
            plan = Plan.model_validate(session.scalars(select(Run.plan)).one())
        assert [part.messages.min_timing_ms for part in plan.matrix if part.messages is not None] == [2.5]


def _deliver(layout: Layout, identity: Identity) -> None:
    """Deliver what the journal has, as a daemon does at its start."""
    enrollment = identity.enrollment
    address = ServiceAddress(identity.service_url, enrollment.agent_token, GENEROUS_SECONDS)
    with (
        Journal(layout.agent_folder / f"journal-{enrollment.agent_id}.sqlite") as journal,
        ServiceClient(address) as client,
        closing(Delivery(journal, client)) as delivery,
    ):
        assert journal.waiting_count() == 3
        assert journal.attempt_of(1) == 1
        assert delivery.flush()
        assert journal.waiting_count() == 0


@pytest.mark.long
def test_opened_journal_is_the_same_when_it_is_opened_again(folder: Path) -> None:
    (path,) = (folder / "agent").glob("journal-*.sqlite")
    contents = []
    for _ in range(2):
        Journal(path).close()
        with closing(sqlite3.connect(path)) as connection:
            contents.append(list(connection.iterdump()))
    assert contents[0] == contents[1]


@pytest.mark.long
def test_identity_that_cannot_be_read_names_the_fields_and_keeps_the_journal(tmp_path: Path) -> None:
    folder = earlier_folder(list(REVISIONS)[-1], tmp_path / "data")
    path = folder / "agent" / "identity.json"
    document = json.loads(path.read_text()) | {"introduced_later": 1}
    path.write_text(json.dumps(document))
    with pytest.raises(SetupError) as caught:
        load_identity(folder / "agent")
    assert "introduced_later" in caught.value.detail
    assert "backup" in caught.value.remedy
    assert "journal" in caught.value.remedy
