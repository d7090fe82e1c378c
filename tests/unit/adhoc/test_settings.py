"""Plain settings are those of the daemon's settings; other values are left to them."""

import os
from pathlib import Path

import pytest

from orchestrator.cli.adhoc.settings import read_plain_settings
from orchestrator.shared.settings import DaemonSettings

NAMES = ("cache_folder", "measured_core", "sampling_interval_ms", "exit_stop")


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"CIPHERMARK_CACHE_FOLDER": "~/somewhere"},
        {"CIPHERMARK_CACHE_FOLDER": "relative/folder"},
        {"ciphermark_cache_folder": "/tmp/lower"},
        {"CIPHERMARK_MEASURED_CORE": "0"},
        {"CIPHERMARK_MEASURED_CORE": "007"},
        {"CIPHERMARK_SAMPLING_INTERVAL_MS": "1", "CIPHERMARK_MEASURED_CORE": "3", "CIPHERMARK_LOG_LEVEL": "debug"},
        {"CIPHERMARK_SAMPLING_INTERVAL_MS": "1000"},
        {"CIPHERMARK_EXIT_STOP": "false"},
        {"CIPHERMARK_EXIT_STOP": "True"},
        {"CIPHERMARK_EXIT_STOP": "0"},
    ],
)
def test_plain_settings_are_those_of_the_daemon(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in [name for name in os.environ if name.startswith("CIPHERMARK_")]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    plain, rule = read_plain_settings(os.environ), DaemonSettings()

    assert plain is not None
    assert {name: getattr(plain, name) for name in NAMES} == {name: getattr(rule, name) for name in NAMES}
    assert isinstance(plain.cache_folder, Path)


@pytest.mark.parametrize("value", ["", "-1", "1.0", "one", "٣", "0", "1001", "99999", " 5"])
def test_other_values_are_left_to_the_daemons_settings(value: str) -> None:
    variables = {"CIPHERMARK_SAMPLING_INTERVAL_MS": value}

    assert read_plain_settings(variables) is None


def test_other_truth_values_are_left_to_the_daemons_settings() -> None:
    assert read_plain_settings({"CIPHERMARK_EXIT_STOP": "maybe"}) is None
