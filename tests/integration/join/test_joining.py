"""A device joins with the command of an invitation, is upgraded by the same command, and leaves again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.join.conftest import Inviting
from tests.support.device import Device
from tests.support.live_service import Served
from tests.support.waiting import until

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def joined(served: Served, tmp_path_factory: pytest.TempPathFactory) -> tuple[Device, Inviting]:
    """A device on which the command of an invitation was executed as it is, without a start of the daemon."""
    folder = tmp_path_factory.mktemp("joined")
    # The daemon gets runners that it cannot use: its preparation ends early, and its heartbeats go on.
    device, operator = Device(folder / "home", {"CIPHERMARK_RUNNERS_FOLDER": str(folder)}), Inviting(served, folder)
    invitation = operator.invite(name="pi-attic", labels=["kitchen"])
    done = device.execute(f"{invitation['command']} --no-start", invitation["code"], TMPDIR=str(folder))
    assert done.returncode == 0, done.stderr
    (script,) = folder.glob("*/join.sh")
    assert script.parent.stat().st_mode & 0o777 == 0o700
    assert "join.sh: OK" in done.stdout
    assert "this device is the agent pi-attic" in done.stderr
    return device, operator


@pytest.fixture
def running(joined: tuple[Device, Inviting]) -> Iterator[Device]:
    device, _ = joined
    yield device
    device.ciphermark("daemon", "stop")


def test_agent_has_the_name_and_label_of_its_invitation(joined: tuple[Device, Inviting]) -> None:
    device, operator = joined
    agent = operator.agents()["pi-attic"]
    assert agent["labels"] == ["kitchen"]
    status = device.ciphermark("daemon", "status")
    assert agent["id"] in status.stdout
    assert {path.name.partition("-")[0] for path in device.prefix.iterdir()} == {"bin", "data", "venv"}
    assert (device.prefix / "data").stat().st_mode & 0o777 == 0o700


def test_device_that_joined_before_gets_the_key_of_the_service_by_another_call(
    served: Served, joined: tuple[Device, Inviting]
) -> None:
    device, operator = joined
    command = device.prefix / "bin" / "ciphermark"
    line = f"export CIPHERMARK_SERVICE_KEY={operator.invite()['service_key']}\n"
    assert line in command.read_text()
    command.write_text(command.read_text().replace(line, ""))
    assert device.join(operator.script, "", "--server", served.url).returncode == 0
    assert line in command.read_text()


def test_second_call_needs_no_code_and_changes_nothing(served: Served, joined: tuple[Device, Inviting]) -> None:
    device, operator = joined
    before = sorted(device.prefix.iterdir())
    done = device.join(operator.script, "", "--server", served.url)
    assert done.returncode == 0, done.stderr
    assert f"this device is the agent pi-attic of {served.url} already" in done.stderr
    assert sorted(device.prefix.iterdir()) == before
    assert list(operator.agents()) == ["pi-attic"]


def test_device_of_another_service_is_refused(joined: tuple[Device, Inviting], tmp_path: Path) -> None:
    device, operator = joined
    done = device.join(operator.script, "cm_join_x", "--server", "http://127.0.0.1:9")
    assert (done.returncode, "Leave that service first" in done.stderr) == (7, True)


def test_daemon_starts_in_the_background_and_stops(served: Served, running: Device, operator: Inviting) -> None:
    started = running.execute(f"sh {operator.script} --server {served.url} --no-systemd </dev/null")
    assert started.returncode == 0, started.stderr
    assert "the daemon runs until the next restart" in started.stderr
    until(lambda: operator.agents()["pi-attic"]["liveness"] == "live", "the first heartbeat")
    again = running.execute(f"sh {operator.script} --server {served.url} --no-systemd </dev/null")
    assert "its daemon runs: nothing to do" in again.stderr
    assert "The daemon has ended." in running.ciphermark("daemon", "stop").stderr
    assert "No daemon uses" in running.ciphermark("daemon", "stop").stderr


def test_departure_revokes_the_agent_and_removes_everything(joined: tuple[Device, Inviting]) -> None:
    # The last test of this file: the device is gone afterwards.
    device, operator = joined
    assert device.ciphermark("daemon", "leave").returncode == 1  # no confirmation
    done = device.ciphermark("daemon", "leave", "--yes")
    assert done.returncode == 0, done.stderr
    assert device.files == set()
    assert operator.agents()["pi-attic"]["revoked_at"] is not None
