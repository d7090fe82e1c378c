import re
import sys
from pathlib import Path

import pytest

from orchestrator.shared import extras
from orchestrator.shared.extras import install_command
from tests.support.paths import REPOSITORY


def test_command_names_the_packages_and_this_python() -> None:
    command = install_command("arrow")
    assert re.search(r" install .*'pyarrow<\d+,>=18'$", command)
    assert sys.executable in command
    assert "python_full_version" in install_command("agent")
    with pytest.raises(ValueError, match="no extra 'everything'"):
        install_command("everything")


@pytest.mark.parametrize(
    ("pip", "uv", "words"),
    [(True, True, "-m pip install"), (False, True, "/uv pip install --"), (False, False, "python3 -m pip --python")],
)
def test_installer_is_one_that_this_environment_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pip: bool, uv: bool, words: str
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: object() if pip else None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    if uv:
        (tmp_path / "uv").touch()
    assert words in install_command("arrow")


def test_no_message_and_no_document_names_a_package_of_a_registry_that_is_not_ours() -> None:
    files = [
        *(REPOSITORY / "orchestrator").rglob("*.py"),
        *(REPOSITORY / "docs").rglob("*.md"),
        REPOSITORY / "README.md",
    ]
    assert [path for path in files if "install 'ciphermark" in path.read_text(encoding="utf-8")] == []
