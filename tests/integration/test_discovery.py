"""A service announces itself on a network, and a device that knows no address joins it."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.supervisor.announcement import require_announcement
from orchestrator.service.discovery import announced, find_services
from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import ServiceSettings
from tests.support.forwarding_proxy import QuietHandler, serving
from tests.support.live_service import serve
from tests.support.waiting import until

# Multicast that stays on this machine.
LOOPBACK = ["127.0.0.1"]


def test_announcement_that_is_no_address_is_ignored() -> None:
    with announced("http://bench example/", LOOPBACK):
        assert not any("bench" in found for found in find_services(1.5, LOOPBACK))


def join(folder: Path, *options: str, **given: Any) -> "subprocess.CompletedProcess[str]":
    """Execute the command of a device; given: its input and variables."""
    variables = given.pop("variables", {})
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.main", "daemon", "join", "--seconds", "2", *options],
        env=os.environ | {"CIPHERMARK_DATA_FOLDER": str(folder / "agent")} | variables,
        capture_output=True, text=True, check=False, timeout=120, **given,
    )  # fmt: skip
    return done


def searched(folder: Path, **given: Any) -> "subprocess.CompletedProcess[str]":
    """Return the ended command of a device that knows no address."""
    ended = []

    def found() -> bool:
        """Return False where a busy machine answered too late for the command."""
        ended.append(join(folder, **given))
        return "No service announced itself" not in ended[-1].stderr

    until(found, "the service's answer to a device that searches")
    return ended[-1]


@contextmanager
def any_machine() -> Iterator[tuple[str, list[str]]]:
    """A machine of the network that is no Ciphermark service: its URL, and the requests that it received."""
    received: list[str] = []

    class Listener(QuietHandler):
        def answer(self, body: bytes) -> None:
            received.append(self.path + str(self.headers))
            self.send_error(404)

    with serving(Listener) as url:
        yield url, received


def test_machine_that_announces_itself_does_not_receive_the_join_code(tmp_path: Path) -> None:
    # Every machine of the network can announce itself, and the first one received the code.
    with any_machine() as (url, received), announced(url, LOOPBACK):
        done = searched(tmp_path, input="cm_join_" + "x" * 43)
    assert (done.returncode, received) == (3, [])
    assert "--server" in done.stderr


def test_device_joins_the_announced_service_that_its_operator_confirms(tmp_path: Path) -> None:
    with serve(tmp_path / "service") as served, announced(served.url, LOOPBACK):
        variables = {"CIPHERMARK_JOIN_TOKEN": served.token("join", agent_name="pi-attic")}
        terminal, typed = pty.openpty()
        for answer in (b"n\n", b"y\n"):
            os.write(terminal, answer)
            done = searched(tmp_path, stdin=typed, variables=variables, start_new_session=True)
            if "Several services are announced" in done.stderr:
                # Other tests on this machine announce theirs at the same time.
                assert served.url in done.stderr
                done = join(tmp_path, "--server", served.url, variables=variables)
                break
            assert served.url in done.stderr
            assert ("This machine is the agent" in done.stderr) is (answer == b"y\n")
        os.close(terminal)
        os.close(typed)
        assert done.returncode == 0, done.stderr
        assert "This machine is the agent pi-attic." in done.stderr


def test_loopback_service_is_not_announced() -> None:
    with pytest.raises(SetupError, match="no other machine reaches it"):
        require_announcement(ServiceSettings())
    require_announcement(ServiceSettings(host="0.0.0.0"))
