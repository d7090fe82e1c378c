"""``doctor --measuring``, ``daemon tune --dry-run`` and ``untune`` on this machine: none of them changes anything."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.main import app
from orchestrator.measurement.preflight.all_checks import all_checks


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CIPHERMARK_DATA_FOLDER", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def ciphermark(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


class TestDoctorMeasuring:
    def test_every_check_is_reported_and_a_poor_one_sets_the_exit_code(self) -> None:
        result = ciphermark("doctor", "--measuring", "--json")

        shown = json.loads(result.stdout)
        assert {result["name"] for result in shown["results"]} == {check.name for check in all_checks()}
        poor = any(result["state"] == "poor" for result in shown["results"])
        assert result.exit_code == (ExitCode.SETUP if poor else ExitCode.OK)

    def test_table_has_results_and_remedies(self, folder: Path) -> None:
        result = ciphermark("doctor", "--measuring")

        assert f"free in {folder}" in " ".join(result.stdout.split())
        if result.exit_code == ExitCode.SETUP:
            assert "Remedies:" in result.stdout
        else:
            assert "Nothing known is against measuring" in result.stdout


class TestTuning:
    def test_a_dry_run_changes_nothing(self, folder: Path) -> None:
        result = ciphermark("daemon", "tune", "--dry-run", "--json")

        assert {one["outcome"] for one in json.loads(result.stdout)} <= {"would change", "already set"}
        assert list(folder.iterdir()) == []

    def test_there_is_nothing_to_restore(self) -> None:
        result = ciphermark("daemon", "untune")
        assert (result.exit_code, "Nothing is tuned" in result.stdout) == (ExitCode.OK, True)
