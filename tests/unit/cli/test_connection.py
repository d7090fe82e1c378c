import io
from pathlib import Path

import pytest

from orchestrator.cli.commands.daemon import JOIN_CODE_VARIABLE, read_join_code
from orchestrator.cli.connection import read_token
from orchestrator.shared.errors import SetupError


def test_token_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("cm_viewer_x\n")
    assert read_token(tmp_path / "token") == "cm_viewer_x"


@pytest.mark.parametrize("content", [b"", b"\n", b"two words", b"\xff\xfe"])
def test_file_without_one_token_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "token").write_bytes(content)
    with pytest.raises(SetupError, match=r"token"):
        read_token(tmp_path / "token")


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="No such file"):
        read_token(tmp_path / "absent")


def test_missing_join_code_names_the_command_that_creates_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(JOIN_CODE_VARIABLE, raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(SetupError, match="agents invite"):
        read_join_code()
