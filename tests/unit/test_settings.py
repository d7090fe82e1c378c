"""Settings and docs/settings.md list the same variables, defaults and sentences."""

import re
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo

from orchestrator.shared.settings import CommonSettings, DaemonSettings, ServiceSettings
from orchestrator.shared.units import MIB
from tests.support.paths import REPOSITORY

FIELDS = {**ServiceSettings.model_fields, **DaemonSettings.model_fields}
FOLDER_DEFAULTS = {"data_folder": "user data folder", "cache_folder": "user cache folder"}


def documented_default(name: str, field: FieldInfo) -> str:
    if name in FOLDER_DEFAULTS:
        return FOLDER_DEFAULTS[name]
    default = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    return "unset" if default is None else f"`{str(default).lower() if isinstance(default, bool) else default}`"


def test_documentation_has_one_row_for_each_setting() -> None:
    table = (REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `CIPHERMARK_(\w+)` \| (.+?) \| (.+?) \|$", table, flags=re.MULTILINE)

    assert {name.lower(): (default, sentence) for name, default, sentence in rows} == {
        name: (documented_default(name, field), field.description) for name, field in FIELDS.items()
    }


def test_folders_become_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CIPHERMARK_DATA_FOLDER", "data")

    assert ServiceSettings().resolved_database_url == f"sqlite:///{tmp_path}/data/ciphermark.sqlite"
    assert ServiceSettings().corpus_folder == tmp_path / "data" / "corpus"


def test_build_cache_is_converted_to_bytes() -> None:
    assert CommonSettings(build_cache_mib=3).build_cache_bytes == 3 * MIB


@pytest.mark.parametrize(
    ("variable", "value"),
    [("CIPHERMARK_PORT", "65536"), ("CIPHERMARK_JOB_SECONDS", "0"), ("CIPHERMARK_LOG_LEVEL", "loud")],
)
def test_wrong_value_is_refused(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(ValidationError, match=variable.removeprefix("CIPHERMARK_").lower()):
        ServiceSettings()


def test_password_of_redis_is_not_in_the_representation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_REDIS_URL", "redis://admin:hunter2@127.0.0.1:6379/0")

    assert "hunter2" not in repr(ServiceSettings())
