"""Joins that cannot succeed end with what happened and what to do, leave nothing, and use no code up."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from tests.integration.join.conftest import Inviting
from tests.support.device import Device
from tests.support.forwarding_proxy import Response, cutting_proxy, forwarding_proxy, serving
from tests.support.live_service import Served
from tests.support.seldom import seldom


def refused(done: subprocess.CompletedProcess[str], exit_code: int, *texts: str) -> None:
    assert done.returncode == exit_code, done.stderr
    for text in (*texts, "Nothing was left behind; the command can be repeated."):
        assert text in done.stderr


class TestCode:
    @pytest.mark.long
    def test_unknown_used_and_expired_codes_are_distinguished(
        self, served: Served, operator: Inviting, device: Device
    ) -> None:
        codes = {"unknown": "cm_join_x", "used": operator.used_code(), "expired": operator.expired_code()}
        for state, code in codes.items():
            done = device.join(operator.script, code, "--server", served.url)
            refused(done, 7, f"This join code is {state}", "ciphermark agents invite")
            assert device.files == set()

    def test_missing_and_mistyped_codes_are_refused_without_a_request(self, operator: Inviting, device: Device) -> None:
        nowhere = "http://127.0.0.1:9"
        refused(device.join(operator.script, "", "--server", nowhere), 7, "No join code was given.")
        refused(device.join(operator.script, "kitchen", "--server", nowhere), 7, "does not begin with cm_join_")


class TestAddress:
    def test_address_without_a_service(self, operator: Inviting, device: Device) -> None:
        done = device.join(operator.script, "cm_join_x", "--server", "http://127.0.0.1:9")
        refused(done, 8, "http://127.0.0.1:9 does not answer", "Check that the service is running")
        assert device.files == set()

    @pytest.mark.long
    def test_other_web_server_is_not_mistaken_for_a_service(self, operator: Inviting, device: Device) -> None:
        folder = device.home.parent / "router"
        (folder / "api" / "v1").mkdir(parents=True)
        (folder / "api" / "v1" / "health").write_text("<html>router</html>")
        with static_server(folder) as router:
            done = device.join(operator.script, "cm_join_x", "--server", router)
        refused(done, 8, f"{router} answers, but it is not a Ciphermark service.")
        assert device.files == set()

    def test_code_does_not_cross_a_network_unencrypted_without_permission(
        self, operator: Inviting, device: Device
    ) -> None:
        done = device.join(operator.script, "cm_join_x", "--server", "http://192.0.2.1:8451")
        assert (done.returncode, "add --insecure-lan" in done.stderr) == (2, True)

    @pytest.mark.parametrize("options", [["--server", "bench"], ["--server"], ["--sever", "x"], []])
    def test_wrong_options_are_named(self, operator: Inviting, device: Device, options: list[str]) -> None:
        assert device.join(operator.script, "cm_join_x", *options).returncode == 2
        assert device.files == set()


class TestDevice:
    def test_old_python_is_named_with_the_required_version(
        self, served: Served, operator: Inviting, device: Device, tmp_path: Path
    ) -> None:
        old = tmp_path / "old"
        old.mkdir()
        (old / "python3").write_text("#!/bin/sh\necho 3.9\n")
        (old / "python3").chmod(0o755)
        code = operator.invite()["code"]
        path = f"{old}:{os.environ['PATH']}"
        done = device.join(operator.script, code, "--server", served.url, PATH=path)
        refused(done, 3, "python3 is Python 3.9, but 3.11 or newer is required.", "--python PROGRAM")
        assert device.files == set()

    def test_disk_without_space_is_refused_before_anything_is_downloaded(
        self, served: Served, operator: Inviting, device: Device
    ) -> None:
        done = on_small_disk(device, operator, served, "size=20m")
        refused(done, 3, "20 MiB of free space, but 200 MiB are required")
        assert device.files == set()

    @pytest.mark.long
    def test_disk_that_fills_up_during_the_installation(
        self, served: Served, operator: Inviting, device: Device
    ) -> None:
        # Few inodes: the check finds enough space, and the installation does not.
        done = on_small_disk(device, operator, served, "size=300m,nr_inodes=100")
        refused(done, 1, "The daemon could not be installed: the disk of", "is full")
        assert "pi-full" not in operator.agents()


class TestNetwork:
    @pytest.mark.long
    @pytest.mark.parametrize("path", ["agent-wheel", *seldom("agent-requirements")])
    def test_download_that_is_cut(self, served: Served, operator: Inviting, device: Device, path: str) -> None:
        code = operator.invite()["code"]
        with cutting_proxy(served.url, f"/api/v1/downloads/{path}") as proxy:
            done = device.join(operator.script, code, "--server", proxy)
        refused(done, 1, "was interrupted", "Repeat the command.")
        assert device.files == set()

    def test_changed_script_and_wheel_are_not_executed(
        self, served: Served, operator: Inviting, device: Device, tmp_path: Path
    ) -> None:
        """A device in the network replaces both, and every hash in the service's answers."""
        hostile = b"touch executed\n"

        def change(path: str, response: Response) -> None:
            if path.endswith(("/join.sh", "/agent-wheel")):
                response.body = hostile
            elif path.endswith("/downloads"):
                document = json.loads(response.body)
                document["agent_wheel"]["sha256"] = hashlib.sha256(hostile).hexdigest()
                response.body = json.dumps(document).encode()

        with forwarding_proxy(served.url, change) as proxy:
            invitation = operator.invite()
            line = f"{invitation['command'].replace(served.url, proxy)} --no-start"
            pasted = device.execute(line, invitation["code"], TMPDIR=str(tmp_path))
            done = device.join(operator.script, invitation["code"], "--server", proxy)
        assert (pasted.returncode, "join.sh: FAILED" in pasted.stdout) == (1, True)
        refused(done, 1, "agent-wheel does not have the expected SHA-256")
        assert device.files == set()

    @pytest.mark.long
    def test_index_of_packages_that_does_not_answer(self, served: Served, operator: Inviting, device: Device) -> None:
        done = device.join(operator.script, operator.invite(name="pi-full")["code"], "--server", served.url)
        refused(done, 1, "The daemon could not be installed", "internet connection")
        assert device.files == set()
        assert "pi-full" not in operator.agents()


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Serve a folder as any web server does."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Stay silent."""

    with serving(partial(Quiet, directory=str(folder))) as url:
        yield url


def on_small_disk(
    device: Device, operator: Inviting, service: Served, options: str
) -> subprocess.CompletedProcess[str]:
    """Join with a home folder on a small memory file system, in a mount namespace of its own."""
    if device.execute("unshare -rm true").returncode != 0:
        pytest.skip("this kernel permits no user namespaces")
    code = operator.invite(name="pi-full")["code"]
    join = f"echo {code} | HOME=$PWD/small sh {operator.script} --no-start --server {service.url}"
    script = f"mkdir small && mount -t tmpfs -o {options} none small && {{ {join}; code=$?; ls small; exit $code; }}"
    done = device.execute(f"unshare -rm sh -c '{script}'")
    assert done.stdout == ""
    (device.home / "small").rmdir()
    return done
