import hashlib
import os
import re
import subprocess
from pathlib import Path

from orchestrator.service.security import tokens
from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER
from scripts.roots import trial
from tests.support.commands import command_of, succeeded
from tests.support.live_service import Served, serve


class TestInvitation:
    def test_agent_gets_the_name_and_labels_of_its_invitation(self, fresh: Served) -> None:
        made = fresh.admin.post("/api/v1/invitations", json={"name": "pi-attic", "labels": ["kitchen", "fanless"]})
        invitation = made.json()
        headers = {"Authorization": f"Bearer {invitation['code']}", WIRE_VERSION_HEADER: str(WIRE_VERSION)}
        joined = fresh.admin.post("/api/v1/agents", json={"name": "raspberrypi"}, headers=headers)
        again = fresh.admin.post("/api/v1/agents", json={"name": "raspberrypi"}, headers=headers)
        agents = fresh.admin.get("/api/v1/agents").json()["items"]
        assert (made.status_code, joined.status_code) == (201, 201)
        assert [(agent["name"], agent["labels"]) for agent in agents] == [("pi-attic", ["kitchen", "fanless"])]
        assert (again.status_code, again.json()["detail"]) == (401, "This join code is used already.")

    def test_invitation_without_a_name_leaves_it_to_the_device(self, fresh: Served) -> None:
        code = fresh.admin.post("/api/v1/invitations", json={}).json()["code"]
        headers = {"Authorization": f"Bearer {code}", WIRE_VERSION_HEADER: str(WIRE_VERSION)}
        assert fresh.admin.post("/api/v1/agents", json={"name": "raspberrypi"}, headers=headers).json()["name"] == (
            "raspberrypi"
        )

    def test_command_does_not_contain_the_code_and_executes_a_script_that_no_other_user_can_write(
        self, fresh: Served
    ) -> None:
        # The line stays in the history of the device's shell; in /tmp, another user could replace join.sh.
        invitation = fresh.admin.post("/api/v1/invitations", json={"systemd": True}).json()
        command = invitation["command"]
        assert invitation["code"] not in command
        assert command.startswith("folder=$(mktemp -d) && ")
        assert command.endswith(f' && sh "$folder/join.sh" --server {fresh.url} --insecure-lan --systemd')
        assert invitation["this_machine_only"] is True

    def test_trial_of_a_device_executes_the_printed_line_with_the_printed_code(
        self, fresh: Served, tmp_path: Path
    ) -> None:
        output = succeeded(command_of(fresh, "admin", tmp_path / "token")("agents", "invite", "--name", "pi"))
        line = trial.joining(output)
        code, _, command = line.removeprefix("echo ").partition(" | ")
        with fresh.database.read() as session:
            token = tokens.find(session, code)
        assert token is not None
        assert token.agent_name == "pi"
        assert code not in command
        # Of the programs in the line, `sh` reads what the script would read.
        for name, does in (("curl", "exit 0"), ("sha256sum", "cat >/dev/null"), ("sh", "cat")):
            (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
            (tmp_path / name).chmod(0o755)
        variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
        read = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True, env=variables)
        assert read.stdout == f"{code}\n"

    def test_hash_in_the_command_is_that_of_the_script_which_needs_no_token(self, fresh: Served) -> None:
        with fresh.client("admin") as admin, fresh.client() as device:
            invitation = admin.post("/api/v1/invitations", json={}).json()
            script = device.get("/api/v1/downloads/join.sh")
        assert hashlib.sha256(script.content).hexdigest() == invitation["script_sha256"]
        assert invitation["script_sha256"] in invitation["command"]

    def test_hashes_in_the_script_are_those_of_the_downloads(self, fresh: Served) -> None:
        # On an address other than loopback, a device downloads with its join code.
        invitation = fresh.admin.post("/api/v1/invitations", json={}).json()
        headers = {"Authorization": f"Bearer {invitation['code']}"}
        script = fresh.admin.get("/api/v1/downloads/join.sh").text
        wheel = fresh.admin.get("/api/v1/downloads/agent-wheel", headers=headers)
        requirements = fresh.admin.get("/api/v1/downloads/agent-requirements", headers=headers)
        assert f"SERVICE_KEY='{invitation['service_key']}'" in script
        named = dict(re.findall(r"^(WHEEL_SHA256|REQUIREMENTS_SHA256)='([0-9a-f]{64})'$", script, re.MULTILINE))
        assert named == {
            "WHEEL_SHA256": hashlib.sha256(wheel.content).hexdigest(),
            "REQUIREMENTS_SHA256": hashlib.sha256(requirements.content).hexdigest(),
        }
        assert "@" not in re.sub(r'"\$@"|\+@-', "", script.split("set -eu")[1].split("MIN_PYTHON")[0])

    def test_invalid_names_and_labels_create_nothing(self, fresh: Served) -> None:
        for body in ({"name": "a b"}, {"labels": [""]}, {"labels": ["x"] * 11}, {"expires_in_seconds": 1}):
            assert fresh.admin.post("/api/v1/invitations", json=body).status_code == 422
        assert [one["role"] for one in fresh.admin.get("/api/v1/tokens").json()["items"]] == ["admin"]

    def test_public_address_is_the_one_in_the_command(self, tmp_path: Path) -> None:
        with serve(tmp_path, public_url="https://bench.example:8451") as served, served.client("admin") as admin:
            invitation = admin.post("/api/v1/invitations", json={}).json()
        assert (invitation["server"], invitation["this_machine_only"]) == ("https://bench.example:8451", False)
        assert "--insecure-lan" not in invitation["command"]


class TestRefusedCodes:
    def test_device_learns_whether_its_code_is_unknown_or_revoked(self, fresh: Served) -> None:
        revoked = fresh.admin.post("/api/v1/invitations", json={}).json()
        fresh.admin.delete(f"/api/v1/tokens/{revoked['id']}", headers={"Content-Type": "application/json"})
        for code, state in ((revoked["code"], "revoked"), ("cm_join_x", "unknown")):
            answer = fresh.admin.get("/api/v1/downloads", headers={"Authorization": f"Bearer {code}"})
            assert (answer.status_code, answer.json()["detail"]) == (401, f"This join code is {state}.")
