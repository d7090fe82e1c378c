"""``ciphermark up``: start, kills of children and of the supervisor, and stop."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from orchestrator.builds.signing import DownloadSigner
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.supervisor.up import DAEMON_FINAL_EXIT_CODES
from tests.support.commands import executed
from tests.support.library_prefix import make_prefix
from tests.support.paths import REPOSITORY
from tests.support.up_process import SECONDS, UpProcess
from tests.support.waiting import GENEROUS_SECONDS, until


def library_versions(up: UpProcess) -> dict[str, list[str]] | None:
    found = [agent["id"] for agent in up.get("/agents")["items"] if agent["name"] == socket.gethostname()]
    inventory = up.get(f"/agents/{found[0]}")["inventory"] if found else None
    versions: dict[str, list[str]] | None = inventory and inventory["library_versions"]
    return versions


@pytest.fixture
def up_with_agent(tmp_path: Path) -> Iterator[UpProcess]:
    up = UpProcess(tmp_path, "--port", "0", with_agent=True, runners_folder=str(tmp_path), share_core="true")
    yield up
    up.end()


class TestUp:
    def test_printed_url_logs_in_once(self, shared_up: UpProcess) -> None:
        up = shared_up
        (login,) = [line.strip() for line in up.output.read_text().splitlines() if "/login?code=" in line]
        first = httpx.get(login, timeout=GENEROUS_SECONDS)
        assert first.is_redirect
        assert "HttpOnly" in first.headers["set-cookie"]
        assert httpx.get(login, timeout=GENEROUS_SECONDS).status_code == 401

    def test_second_up_reports_the_url_of_the_first(self, shared_up: UpProcess) -> None:
        up = shared_up
        second = up.ciphermark("up")
        assert second.returncode == 9
        assert up.url in second.stderr
        assert up.ciphermark("token", "list").returncode == 0

    @pytest.mark.long
    def test_killed_children_are_restarted(self, shared_up: UpProcess) -> None:
        up = shared_up
        until(up.ready, "readiness", SECONDS)
        before = {name: up.children()[name] for name in ("scheduler", "service", "redis")}
        for child in before.values():
            child.kill()

        def started_again() -> bool:
            children = up.children()
            return all(name in children and children[name].pid != child.pid for name, child in before.items())

        until(started_again, "the restart of all", SECONDS)
        until(up.ready, "readiness", SECONDS)

    @pytest.mark.long
    def test_redis_that_does_not_answer_is_killed_and_restarted(self, shared_up: UpProcess) -> None:
        up = shared_up
        stopped = up.children()["redis"]
        stopped.suspend()

        def replaced() -> bool:
            child = up.children().get("redis")
            return child is not None and child.pid != stopped.pid

        until(replaced, "the restart of the stopped Redis", SECONDS)
        until(up.ready, "readiness", SECONDS)
        assert "redis does not answer and is killed" in up.output.read_text()

    def test_final_exit_codes_are_those_of_the_unit_and_the_command_line(self) -> None:
        unit = (REPOSITORY / "deploy/systemd/ciphermark-daemon.service").read_text()
        codes = {int(code) for code in unit.split("RestartPreventExitStatus=")[1].splitlines()[0].split()}
        assert codes == DAEMON_FINAL_EXIT_CODES
        assert codes == {ExitCode.SETUP, ExitCode.FORBIDDEN, ExitCode.SECOND_SESSION}

    def test_network_address_requires_tls_or_permission(self, tmp_path: Path) -> None:
        environment = os.environ | {"CIPHERMARK_DATA_FOLDER": str(tmp_path)}
        refused = executed(environment, "up", "--no-agent", "--listen", "0.0.0.0")
        assert refused.returncode == 3
        assert "--insecure-lan" in refused.stderr

    @pytest.mark.long
    def test_killed_supervisor_leaves_nothing_and_the_next_one_starts(self, up: UpProcess) -> None:
        up.wait_until_up()
        assert set(up.children()) == {"redis", "service", "scheduler"}
        children = list(up.children().values())
        token = json.loads((up.data / "cli.json").read_text())["token"]
        up.process.kill()
        up.process.wait()
        until(lambda: not any(child.is_running() for child in children), "the end of the parts")

        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            up.options = ("--port", str(port))
            up.start()
            until(lambda: f'"pid": {up.process.pid},' in (up.data / "up.json").read_text(), "the lock of `up`", SECONDS)
            listed = up.ciphermark("runs", "list")
            assert listed.returncode == 0, listed.stderr
            up.wait_until_up()
        until(up.ready, "readiness", SECONDS)
        assert json.loads((up.data / "cli.json").read_text())["token"] == token
        assert (up.data / "cli.json").stat().st_mode & 0o777 == 0o600
        assert (up.data / "redis" / "redis.conf").stat().st_mode & 0o777 == 0o600
        assert f"Port {port} is taken" in up.output.read_text()
        assert not up.url.endswith(f":{port}")

        children = list(up.children().values())
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(60) == 0
        assert [child for child in children if child.is_running()] == []


class TestAgent:
    """An agent that builds no runners, and reports its inventory and sends heartbeats nevertheless."""

    def test_registered_library_reaches_the_running_agent(self, shared_up: UpProcess, tmp_path: Path) -> None:
        # 'daemon libraries add' with the settings of `up` wrote into another folder than the one that its agent read.
        up = shared_up
        until(lambda: library_versions(up) is not None, "the agent's inventory", SECONDS)
        # Finding F104: it printed "Try: ciphermark submit" while the agent had no runners, and that was refused.
        assert "Try:" not in up.output.read_text()
        prefix = make_prefix(tmp_path / "sodium", "77.1.20")
        added = up.ciphermark("daemon", "libraries", "add", "libsodium", "--prefix", str(prefix))
        assert added.returncode == 0, added.stderr
        until(lambda: "77.1.20" in (library_versions(up) or {}).get("libsodium", []), "the new version", SECONDS)
        listed = json.loads(up.ciphermark("daemon", "libraries", "list", "--json").stdout)
        assert {"library": "libsodium", "version": "77.1.20", "prefix": str(prefix)} in listed
        assert up.ciphermark("daemon", "libraries", "remove", "libsodium", "77.1.20").returncode == 0
        until(lambda: "77.1.20" not in (library_versions(up) or {}).get("libsodium", []), "the removal", SECONDS)

    @pytest.mark.long
    def test_command_during_the_start_waits_for_the_agent(self, up_with_agent: UpProcess) -> None:
        """Regression: the service was reachable before its agent was enrolled: 'No agent is registered.'"""
        until((up_with_agent.data / "up.json").exists, "the lock of `ciphermark up`", SECONDS)
        listed = up_with_agent.ciphermark("agents", "list", "--json")
        assert [agent["name"] for agent in json.loads(listed.stdout)] == [socket.gethostname()]

    @pytest.mark.long
    def test_agent_of_a_service_without_encryption_has_its_key(self, tmp_path: Path) -> None:
        settings = {"runners_folder": str(tmp_path), "share_core": "true"}
        up = UpProcess(tmp_path, "--port", "0", "--insecure-lan", with_agent=True, **settings)
        try:
            up.wait_until_up()
            key = up.children()["start"].environ()["CIPHERMARK_SERVICE_KEY"]
        finally:
            up.end()
        assert key == DownloadSigner(up.data).public_key

    @pytest.mark.long
    def test_daemon_of_a_revoked_agent_is_not_restarted(self, up_with_agent: UpProcess) -> None:
        up = up_with_agent
        up.wait_until_up()
        name = socket.gethostname()
        assert up.ciphermark("agents", "revoke", name).returncode == 0
        until(lambda: "is not restarted" in up.output.read_text(), "the notice that the daemon ended", SECONDS)
        notice = " ".join(up.output.read_text().split())
        assert f"daemon ended with exit code 7 and is not restarted: Agent {name} was revoked." in notice
        device = up.environment | {"CIPHERMARK_DATA_FOLDER": str(up.data / "agent")}
        status = subprocess.run(up.command("daemon", "status"), env=device, text=True, check=True, capture_output=True)
        assert f"Agent {name} was revoked." in " ".join(status.stdout.split())
        assert (up.data / "logs/daemon.log").read_text().count("error: ") == 1
