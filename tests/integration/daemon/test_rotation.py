"""Rotation of an agent's token: ordered when it is old, and without a moment in which the identity file is invalid."""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from orchestrator.daemon.heartbeat import Heartbeats
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.enrollment import Invitation, enroll, token_rotation
from orchestrator.daemon.session.identity import IDENTITY_FILE, load_identity
from orchestrator.daemon.session.status import Status
from orchestrator.database.models import Agent, APIToken, now
from orchestrator.scheduler.repository import agent_users
from orchestrator.service.security import tokens
from orchestrator.shared.errors import Unauthorized, Unreachable
from orchestrator.shared.settings import DaemonSettings
from tests.support.forwarding_proxy import cutting_proxy
from tests.support.live_service import Served, serve

FOLDER = "agent"


@dataclass
class Daemons:
    """Starts daemons with the present identity file, and ends them with the test."""

    served: Served
    folder: Path
    stack: ExitStack

    def client(self, token: str, url: str | None = None) -> ServiceClient:
        return self.stack.enter_context(ServiceClient(ServiceAddress(url or self.served.url, token, 60)))

    def start(self, url: str | None = None, session_id: str = "1" * 32) -> Heartbeats:
        client = self.client(load_identity(self.folder).enrollment.agent_token, url)
        journal = self.stack.enter_context(Journal(self.folder / "journal.sqlite"))
        return Heartbeats(client, Status(), journal, session_id, rotate_token=token_rotation(client, self.folder))


@pytest.fixture
def daemons(served: Served, tmp_path: Path) -> Iterator[Daemons]:
    with ExitStack() as stack:
        yield Daemons(served, tmp_path / FOLDER, stack)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve(tmp_path / "service") as served:
        settings = DaemonSettings(data_folder=tmp_path / FOLDER)
        enroll(settings, Invitation(served.url, served.token("join"), "pi", insecure_lan=False))
        yield served


def make_old(served: Served) -> None:
    with served.database.write() as session:
        for token in session.scalars(select(APIToken).where(APIToken.role == "agent")):
            token.created_at -= tokens.AGENT_TOKEN_LIFE + timedelta(days=1)


def valid_tokens(served: Served) -> int:
    with served.database.read() as session:
        rows = session.scalars(select(APIToken).where(APIToken.role == "agent", APIToken.revoked_at.is_(None)))
        return len(rows.all())


def test_token_is_kept_while_it_is_young(daemons: Daemons) -> None:
    before = load_identity(daemons.folder)
    assert not daemons.start().send().rotate_token
    assert load_identity(daemons.folder) == before


def test_old_token_is_replaced_in_the_file_and_refused_after_that(daemons: Daemons) -> None:
    folder = daemons.folder
    before = load_identity(folder).enrollment
    heartbeats = daemons.start()
    make_old(daemons.served)
    assert heartbeats.send().rotate_token
    after = load_identity(folder).enrollment
    assert after.agent_token != before.agent_token
    former = {"agent_token": before.agent_token, "broker_password": before.broker_password}
    assert after.model_copy(update=former) == before
    assert after.broker_password != before.broker_password
    assert stat.S_IMODE((folder / IDENTITY_FILE).stat().st_mode) == 0o600
    assert not heartbeats.send().rotate_token, "the next heartbeat has the new token"
    former = daemons.client(before.agent_token)
    with pytest.raises(Unauthorized, match="This token is revoked"):
        former.downloads()
    daemons.start().send()


def redis_passwords(served: Served) -> set[str]:
    with served.database.read() as session:
        (user,) = agent_users(session, now())
    return set(user.passwords_sha256)


def sha256(password: str) -> str:
    return hashlib.sha256(password.encode()).hexdigest()


def test_password_of_redis_ends_when_the_next_session_uses_the_new_one(daemons: Daemons) -> None:
    """The running worker logs in with the old one again after each loss of its connection."""
    served, folder = daemons.served, daemons.folder
    first = load_identity(folder).enrollment.broker_password
    heartbeats = daemons.start()
    heartbeats.send()
    for _ in range(2):
        make_old(served)
        assert heartbeats.send().rotate_token
        heartbeats.send()
        latest = load_identity(folder).enrollment.broker_password
        assert redis_passwords(served) == {sha256(first), sha256(latest)}
    fall_silent(served)
    restarted = daemons.start(session_id="2" * 32)
    restarted.send()
    assert redis_passwords(served) == {sha256(latest)}


def test_password_of_a_lost_answer_ends_nothing(daemons: Daemons) -> None:
    served, folder = daemons.served, daemons.folder
    present = load_identity(folder).enrollment.broker_password
    make_old(served)
    with (
        cutting_proxy(served.url, "/api/v1/tokens/self/rotate", times=1) as proxy,
        pytest.raises(Unreachable),
    ):
        daemons.start(proxy).send()
    fall_silent(served)
    restarted = daemons.start(session_id="2" * 32)
    assert restarted.send().rotate_token
    restarted.send()
    latest = load_identity(folder).enrollment.broker_password
    assert redis_passwords(served) == {sha256(present), sha256(latest)}


def fall_silent(served: Served) -> None:
    with served.database.write() as session:
        session.execute(update(Agent).values(last_heartbeat_at=now() - timedelta(hours=1)))


def test_lost_answer_leaves_a_valid_token_and_the_order_is_repeated(daemons: Daemons) -> None:
    folder = daemons.folder
    before = load_identity(folder)
    make_old(daemons.served)
    with cutting_proxy(daemons.served.url, "/api/v1/tokens/self/rotate", times=1) as proxy:
        heartbeats = daemons.start(proxy)
        with pytest.raises(Unreachable):
            heartbeats.send()
        assert load_identity(folder) == before
        assert heartbeats.send().rotate_token
    assert load_identity(folder) != before
    daemons.start().send()
    assert valid_tokens(daemons.served) == 1, "the old one and the lost one have ended"


def test_file_that_cannot_be_written_keeps_the_present_token(daemons: Daemons) -> None:
    folder = daemons.folder
    make_old(daemons.served)
    heartbeats = daemons.start()
    before = (folder / IDENTITY_FILE).read_bytes()
    # The name of the new file is taken by a folder, so that it cannot be written.
    blocked = folder / f".{IDENTITY_FILE}.{os.getpid()}.new"
    blocked.mkdir()
    assert heartbeats.send().rotate_token
    assert (folder / IDENTITY_FILE).read_bytes() == before
    blocked.rmdir()
    assert heartbeats.send().rotate_token
    assert (folder / IDENTITY_FILE).read_bytes() != before
