"""The Redis of docker-compose.yml: its configuration, users and arguments, with a real Redis."""

import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import yaml

from tests.support.paths import REPOSITORY
from tests.support.waiting import until


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose secrets were made, twice: the second call changes nothing."""
    shutil.copytree(REPOSITORY / "deploy", tmp_path / "deploy")
    made = []
    for _ in range(2):
        subprocess.run([str(tmp_path / "deploy/compose-secrets.sh")], check=True, cwd="/")
        made.append((tmp_path / "secrets/server.env").read_text())
    assert made[0] == made[1]
    return tmp_path


def password_of(checkout: Path) -> str:
    found = re.fullmatch(
        r"CIPHERMARK_REDIS_URL=redis://ciphermark:([0-9a-f]{64})@redis:6379/0\n",
        (checkout / "secrets/server.env").read_text(),
    )
    assert found is not None
    return found.group(1)


@pytest.fixture
def server(checkout: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Redis with the arguments of docker-compose.yml, its paths in the container replaced by those of this machine."""
    arguments = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())["services"]["redis"]["command"]
    data = checkout / "data"
    data.mkdir()
    places = {
        "/etc/ciphermark/redis.conf": str(checkout / "deploy/redis.conf"),
        "/data": str(data),
        "/run/secrets/redis_users": str(checkout / "secrets/redis-users.acl"),
    }
    command = [places.get(argument, argument) for argument in arguments]
    socket = ["--port", "0", "--unixsocket", str(checkout / "redis.sock")]
    with subprocess.Popen([*command, *socket], stdout=subprocess.DEVNULL) as process:
        until((checkout / "redis.sock").exists, "the start of Redis")
        yield process
        process.terminate()


def client(checkout: Path, username: str | None = None, password: str | None = None) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(checkout / "redis.sock"), username=username, password=password)


@pytest.mark.parametrize("name", ["redis", "service", "scheduler", "agent"])
def test_container_has_no_rights_and_bounded_resources(name: str) -> None:
    compose = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
    container = compose["services"][name]
    assert (container["read_only"], container["cap_drop"]) == (True, ["ALL"])
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert all(container[limit] for limit in ("mem_limit", "pids_limit", "tmpfs"))
    assert not container.get("privileged")
    assert "network_mode" not in container
    # Only the service has a port, on the loopback interface.
    assert container.get("ports", []) == (["127.0.0.1:8451:8451"] if name == "service" else [])


def test_only_the_admin_can_log_in(checkout: Path, server: "subprocess.Popen[bytes]") -> None:
    admin = client(checkout, "ciphermark", password_of(checkout))
    assert admin.ping()
    # The scheduler creates the agents' users like this, although the users come from a file.
    admin.acl_setuser("ag-x", enabled=True, passwords=["+x"], commands=["+ping"])
    with pytest.raises(redis.AuthenticationError):
        client(checkout).ping()
    assert admin.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    assert int(admin.config_get("maxmemory")["maxmemory"]) == 256 * 1024 * 1024


def test_password_is_in_no_argument_and_in_no_file_that_others_can_read(
    checkout: Path, server: "subprocess.Popen[bytes]"
) -> None:
    password = password_of(checkout)
    assert password.encode() not in Path(f"/proc/{server.pid}/cmdline").read_bytes()
    assert password not in (checkout / "secrets/redis-users.acl").read_text()
    assert stat.S_IMODE((checkout / "secrets/server.env").stat().st_mode) == 0o600
    assert stat.S_IMODE((checkout / "secrets").stat().st_mode) == 0o700
    assert "PASSWORD" not in (REPOSITORY / "docker-compose.yml").read_text()


def test_every_redis_has_the_same_limits(checkout: Path) -> None:
    limits = (REPOSITORY / "deploy/redis.conf").read_text()
    installer = (REPOSITORY / "deploy/systemd/install-server.sh").read_text()
    assert "cat $home/deploy/redis.conf" in installer
    for name in ("maxmemory ", "maxmemory-policy noeviction", "maxmemory-clients ", "maxclients ", "timeout ",
                 "client-output-buffer-limit normal ", "client-query-buffer-limit "):  # fmt: skip
        assert re.search(rf"^{name}", limits, re.MULTILINE), name
        assert f"\n{name}" not in installer, "stated once"
