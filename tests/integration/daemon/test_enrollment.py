"""Enrollment over a network that fails: the code is used once, and the device has an identity in the end."""

import os
from pathlib import Path

import pytest

from orchestrator.daemon.session.enrollment import Invitation, enroll
from orchestrator.daemon.session.identity import load_identity
from orchestrator.shared.errors import SetupError, Unauthorized, Unreachable
from orchestrator.shared.settings import DaemonSettings
from tests.support.commands import executed
from tests.support.forwarding_proxy import cutting_proxy
from tests.support.live_service import Served, serve

PATH = "/api/v1/agents"


def code_of(served: Served) -> str:
    return served.token("join", agent_name="pi-attic")


def names(served: Served) -> list[str]:
    return [agent["name"] for agent in served.viewer.get(PATH).json()["items"]]


def test_lost_response_is_repeated(tmp_path: Path) -> None:
    settings = DaemonSettings(data_folder=tmp_path / "agent")
    with serve(tmp_path / "service") as served, cutting_proxy(served.url, PATH, times=1) as proxy:
        enrollment, _ = enroll(settings, Invitation(proxy, code_of(served), "raspberrypi", insecure_lan=False))
        assert names(served) == [enrollment.name] == ["pi-attic"]
    assert load_identity(settings.data_folder).enrollment == enrollment


def test_enrollment_that_failed_can_be_repeated_with_the_same_code(tmp_path: Path) -> None:
    settings = DaemonSettings(data_folder=tmp_path / "agent")
    with serve(tmp_path / "service") as served:
        code = code_of(served)
        with cutting_proxy(served.url, PATH) as proxy, pytest.raises(Unreachable):
            enroll(settings, Invitation(proxy, code, None, insecure_lan=False))
        assert list(settings.data_folder.iterdir()) == []
        enroll(settings, Invitation(served.url, code, None, insecure_lan=False))
        assert names(served) == ["pi-attic"]


def test_folder_that_cannot_be_written_keeps_the_code_unused(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("no folder")
    with serve(tmp_path / "service") as served:
        invitation = Invitation(served.url, code_of(served), None, insecure_lan=False)
        with pytest.raises(SetupError, match=r"identity\.json cannot be written"):
            enroll(DaemonSettings(data_folder=tmp_path / "agent"), invitation)
        assert names(served) == []


def test_wrong_code_leaves_nothing(tmp_path: Path) -> None:
    settings = DaemonSettings(data_folder=tmp_path / "agent")
    with serve(tmp_path / "service") as served, pytest.raises(Unauthorized, match="This join code is unknown"):
        enroll(settings, Invitation(served.url, "cm_join_x", None, insecure_lan=False))
    assert list(settings.data_folder.iterdir()) == []


def test_name_of_an_invitation_replaces_that_of_the_command_with_a_note(tmp_path: Path) -> None:
    with serve(tmp_path / "service") as served:
        variables = {"CIPHERMARK_DATA_FOLDER": str(tmp_path / "agent"), "CIPHERMARK_JOIN_TOKEN": code_of(served)}
        done = executed({**os.environ, **variables}, "daemon", "enroll", "--server", served.url, "--name", "kitchen")
    assert done.returncode == 0, done.stderr
    assert "This agent is pi-attic, not kitchen" in done.stderr
