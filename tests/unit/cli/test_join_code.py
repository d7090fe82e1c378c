import io

import pytest

from orchestrator.cli.join_code import JOIN_CODE_VARIABLE, read_join_code
from orchestrator.shared.errors import SetupError


class TestReadJoinCode:
    def test_missing_code_names_the_command_that_creates_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(JOIN_CODE_VARIABLE, raising=False)
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        with pytest.raises(SetupError, match="agents invite"):
            read_join_code()
