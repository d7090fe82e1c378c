import base64
import csv
import hashlib
import io
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from orchestrator.builds.wheel import AgentWheel, repack
from orchestrator.shared.errors import Unavailable


class TestRepack:
    def test_an_installed_distribution_becomes_a_wheel_again(self) -> None:
        # Any pure package works; a wheel must contain every file of its RECORD with the recorded hash.
        installed = distribution("structlog")
        with zipfile.ZipFile(io.BytesIO(repack(installed))) as wheel:
            names = set(wheel.namelist())
            info = f"structlog-{installed.version}.dist-info"
            recorded = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
            for name, digest, size in recorded:
                if name == f"{info}/RECORD":
                    continue
                data = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
                assert (digest, size) == (f"sha256={expected}", str(len(data)))
        assert {name for name, _, _ in recorded} == names
        assert {"structlog/__init__.py", f"{info}/METADATA", f"{info}/WHEEL"} <= names
        assert not any(name.endswith(("INSTALLER", "REQUESTED", ".pyc")) for name in names)

    def test_the_same_installation_gives_the_same_bytes(self) -> None:
        assert repack(distribution("structlog")) == repack(distribution("structlog"))


class TestAgentWheel:
    def test_only_a_request_for_the_file_waits_for_the_build(self, tmp_path: Path) -> None:
        # The list of downloads once built the wheel first, and the request of a daemon for runner sources timed out.
        (tmp_path / "wheels").write_text("no folder, so that making it fails whatever this machine can build")
        wheel = AgentWheel(tmp_path)
        assert wheel.path_if_made() is None
        with pytest.raises(Unavailable):
            wheel.path()
        with pytest.raises(Unavailable):
            wheel.path_if_made()

    def test_checkout_gives_a_wheel_with_what_a_device_needs_even_after_a_failure(self, tmp_path: Path) -> None:
        # The service once needed the package 'build', which only developers had installed, and kept a failure until it
        # was restarted.
        obstacle = tmp_path / "wheels"
        obstacle.write_text("no folder")
        made = AgentWheel(tmp_path)
        with pytest.raises(Unavailable, match="could not be written"):
            made.path()
        obstacle.unlink()
        path = made.path()
        with zipfile.ZipFile(path) as wheel:
            names = set(wheel.namelist())
        shipped = {"deploy/join.sh", "requirements/agent.txt", "runners/CMakeLists.txt", "migrations/env.py"}
        assert {f"orchestrator/shipped/{name}" for name in shipped} <= names
        assert {"orchestrator/cli/main.py", "corpus/__init__.py"} <= names
        assert AgentWheel(tmp_path).path() == path
        assert sorted(found.name for found in tmp_path.joinpath("wheels").iterdir()) == [path.parent.name]
