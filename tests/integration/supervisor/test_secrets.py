"""No secret is in the arguments of a process, in a log or in an error: the whole path with every known secret."""

import json
import re
import subprocess
from pathlib import Path

from tests.integration.supervisor.conftest import ArgumentWatch
from tests.support.up_process import SECONDS, UpProcess
from tests.support.waiting import until

TOKEN = re.compile(r"cm_[a-z]+_[\w-]{40,}")
"""Any token, as `orchestrator.service.security.tokens` makes it."""


def secrets_of(up: UpProcess) -> dict[str, str]:
    enrollment = json.loads((up.data / "agent/identity.json").read_text())["enrollment"]
    password = re.search(r"^user ciphermark on >(\S+)", (up.data / "redis/redis.conf").read_text(), re.MULTILINE)
    assert password is not None
    return {
        "admin token": json.loads((up.data / "cli.json").read_text())["token"],
        "agent token": enrollment["agent_token"],
        "agent's password of Redis": enrollment["broker_password"],
        "admin's password of Redis": password.group(1),
    }


def test_no_secret_is_in_arguments_logs_or_errors(watch: ArgumentWatch, shared_up: UpProcess, tmp_path: Path) -> None:
    up, printed = shared_up, []
    secrets = secrets_of(up)
    secrets["viewer token"] = up.ciphermark("token", "create", "--role", "viewer", "--quiet").stdout.strip()
    secrets["join code"] = up.ciphermark("token", "create", "--role", "agent", "--quiet").stdout.strip()
    device = up.environment | {"CIPHERMARK_DATA_FOLDER": str(tmp_path / "device")}
    enroll = up.command("daemon", "enroll", "--server", up.url)
    # Twice: the second time, the code is used already, and the identity exists.
    for folder in ("device", "other-device"):
        environment = device | {"CIPHERMARK_DATA_FOLDER": str(tmp_path / folder)}
        done = subprocess.run(
            enroll, env=environment, input=secrets["join code"], text=True, capture_output=True, check=False
        )
        printed.append(done.stdout + done.stderr)
    token_file = tmp_path / "token"
    for content in (secrets["viewer token"], secrets["agent token"], f"{secrets['admin token']}x"):
        token_file.write_text(content)
        done = up.ciphermark("--url", up.url, "--token-file", str(token_file), "token", "list")
        assert done.returncode == 7, done.stderr
        printed.append(done.stdout + done.stderr)
    until(up.ready, "readiness", SECONDS)
    until(lambda: "no runners" in (up.data / "logs/daemon.log").read_text(), "the daemon's first log lines", SECONDS)
    up.children()["redis"].kill()
    until(up.ready, "readiness after a restart of Redis", SECONDS)
    logs = {path: path.read_text(errors="replace") for path in (up.data / "logs").iterdir()}
    texts = {"output of a command": "\n".join(printed), "output of up": up.output.read_text(), **logs}
    assert {path.name for path in logs} >= {"service.log", "scheduler.log", "daemon.log", "redis.log"}
    for name, secret in secrets.items():
        assert len(secret) > 20, name
        assert not any(secret.encode() in line for line in watch.seen.copy()), (
            f"{name} is in the arguments of a process"
        )
        found = [str(place) for place, text in texts.items() if secret in text]
        assert not found, f"{name} is in {found}"
    # Also tokens that nothing keeps, such as the join token of the machine's own agent.
    assert not [str(place) for place, text in texts.items() if TOKEN.search(text)]
    assert any(b"daemon\0enroll" in line for line in watch.seen.copy()), "the watch saw the enrollment"
    open_to_others = [path for path in up.data.rglob("*") if path.lstat().st_mode & 0o077 and not path.is_symlink()]
    assert not open_to_others
