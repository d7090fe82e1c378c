"""Everything that an installation downloads has a hash that is stored here."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY

LOCKS = sorted((REPOSITORY / "requirements").glob("*.txt"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_package_of_a_lock_has_one_version_and_a_hash(lock: Path) -> None:
    text = re.sub(r"\\\n\s+", " ", lock.read_text())
    packages = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert packages
    assert [line for line in packages if not re.match(r"[a-z0-9.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []


def test_installer_and_build_backend_come_from_a_lock() -> None:
    script = (REPOSITORY / "scripts/venv.sh").read_text()
    installs = [line.strip() for line in script.splitlines() if re.search(r" install --quiet ", line)]
    assert len(installs) == 3
    assert all("--require-hashes" in line or "--no-build-isolation" in line for line in installs), installs
    locked = "".join((REPOSITORY / "requirements" / name).read_text() for name in ("tools.txt", "service.txt"))
    assert {"uv", "editables", "hatchling"} <= set(re.findall(r"^([a-z-]+)==", locked, re.MULTILINE))


@pytest.mark.long
def test_installation_ends_at_a_package_with_another_hash(tmp_path: Path) -> None:
    """The installer itself is refused, before any of its code is executed."""
    (tmp_path / "requirements").mkdir()
    for lock in LOCKS:
        (tmp_path / "requirements" / lock.name).write_text(lock.read_text())
    tools = tmp_path / "requirements/tools.txt"
    # A package of this repository instead of one from a registry: the test needs no network.
    package = tmp_path / "packages/editables-0.0.1-py3-none-any.whl"
    package.parent.mkdir()
    package.write_bytes(b"not the package that was locked")
    tools.write_text(f"editables==0.0.1 --hash=sha256:{'0' * 64}\n")
    (tmp_path / "pyproject.toml").write_text((REPOSITORY / "pyproject.toml").read_text())
    environment = os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(package.parent)}
    done = subprocess.run(
        [str(REPOSITORY / "scripts/venv.sh"), "service"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stdout + done.stderr
    assert not (tmp_path / ".venv/bin/ciphermark").exists()


def test_every_package_of_npm_has_one_version_and_a_hash() -> None:
    lock = json.loads((REPOSITORY / "tests/browser/axe/package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert [name for name, one in packages.items() if not one["integrity"].startswith("sha512-")] == []
    manifest = json.loads((REPOSITORY / "tests/browser/axe/package.json").read_text())
    assert manifest["devDependencies"] == {"axe-core": packages["node_modules/axe-core"]["version"]}


def test_images_are_named_by_digest() -> None:
    compose = (REPOSITORY / "docker-compose.yml").read_text()
    dockerfile = (REPOSITORY / "deploy/Dockerfile").read_text()
    images = re.findall(r"^\s*image: (\S+)", compose, re.MULTILINE) + re.findall(
        r"^FROM (\S+)", dockerfile, re.MULTILINE
    )
    foreign = [image for image in images if not image.startswith("ciphermark:")]
    assert len(foreign) == 2
    assert [image for image in foreign if not re.fullmatch(r"[a-z]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}", image)] == []
