"""axe-core, which finds faults of accessibility in a page of a browser. It is installed by npm from a lock file."""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.paths import REPOSITORY

PACKAGE = REPOSITORY / "tests/browser/axe"
_FILES = ("package.json", "package-lock.json")


@cache
def _script() -> str:
    """Return axe-core; npm compares the package with the SHA-512 of the lock file."""
    lock = sha256((PACKAGE / "package-lock.json").read_bytes()).hexdigest()
    folder = REPOSITORY / f"build/axe-{lock[:12]}"
    if not folder.is_dir():
        _install(folder)
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: apt-get install npm")
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        for name in _FILES:
            shutil.copy(PACKAGE / name, made)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}"
        # Another process of the tests may install it at the same time.
        if not folder.is_dir():
            os.chmod(made, 0o755)  # noqa: PTH101 - a temporary folder is private
            shutil.copytree(made, folder, dirs_exist_ok=True)


def faults(page: Page, *rules: str) -> list[str]:
    """Return what axe-core reports about a page: rule, impact, and the first elements. rules: by default all."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_script())
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    report: dict[str, Any] = page.evaluate("options => axe.run(document, options)", options)
    assert report["passes"], "axe-core examined nothing"
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: "
        + "; ".join(f"{node['target']} {node['html'][:160]}" for node in one["nodes"][:4])
        for one in report["violations"]
    ]
