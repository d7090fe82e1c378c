import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.daemon.departure import (
    PREFIX_VARIABLE,
    SYSTEM_PREFIX,
    Installation,
    find_daemon,
    find_installation,
    remove,
    require_departure,
    stop_daemon,
)
from orchestrator.daemon.session.identity import DataFolderLock
from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import DaemonSettings
from tests.support.waiting import until

_HOLDER = """
import signal, sys
from pathlib import Path
from orchestrator.daemon.session.identity import DataFolderLock
signal.signal(signal.SIGTERM, signal.SIG_IGN if sys.argv[2] == "stays" else signal.SIG_DFL)
with DataFolderLock(Path(sys.argv[1])):
    signal.pause()
"""


def settings(folder: Path) -> DaemonSettings:
    return DaemonSettings(data_folder=folder / "data", cache_folder=folder / "cache")


def holder(folder: Path, kind: str) -> subprocess.Popen[bytes]:
    """Start a process that uses the data folder as a daemon does."""
    process = subprocess.Popen([sys.executable, "-c", _HOLDER, str(folder), kind])
    until(lambda: find_daemon(folder) == process.pid, "the lock")
    return process


class TestFindDaemon:
    def test_folder_without_a_daemon(self, tmp_path: Path) -> None:
        assert find_daemon(tmp_path) is None
        DataFolderLock(tmp_path).close()
        assert find_daemon(tmp_path) is None


class TestStopDaemon:
    def test_nothing_to_stop(self, tmp_path: Path) -> None:
        assert stop_daemon(tmp_path) is False

    def test_waits_for_the_end_of_the_daemon(self, tmp_path: Path) -> None:
        process = holder(tmp_path, "ends")
        assert stop_daemon(tmp_path) is True
        assert process.wait() == -signal.SIGTERM

    def test_daemon_that_does_not_end_is_named(self, tmp_path: Path) -> None:
        process = holder(tmp_path, "stays")
        with pytest.raises(SetupError, match=f"process {process.pid}.*did not end"):
            stop_daemon(tmp_path, timeout_seconds=0.3)
        process.kill()
        process.wait()


class TestInstallation:
    def test_command_of_the_join_script_names_its_installation(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "bin" / "ciphermark"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n# Ciphermark on this device, made by join.sh.\n")
        monkeypatch.setenv(PREFIX_VARIABLE, str(tmp_path))
        assert find_installation() == Installation(tmp_path)

    @pytest.mark.parametrize("prefix", ["", "relative", "/"])
    def test_other_installations_are_left_alone(self, prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(PREFIX_VARIABLE, prefix)
        assert find_installation() is None

    def test_only_folders_of_the_join_script_are_removed(self) -> None:
        # A cache folder that the environment named was once removed, too.
        assert Installation(Path("/srv/pi/ciphermark-agent")).folders == [Path("/srv/pi/ciphermark-agent")]
        assert [str(folder) for folder in Installation(SYSTEM_PREFIX).folders] == [
            "/var/lib/ciphermark-agent",
            "/var/cache/ciphermark-agent",
            "/opt/ciphermark-agent",
        ]


class TestDeparture:
    def test_tuned_machine_is_restored_first(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "tuning.json").write_text("{}")
        with pytest.raises(SetupError, match="daemon untune"):
            require_departure(settings(tmp_path), None)

    def test_without_an_installation_only_the_identity_is_removed(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        for name in ("identity.json", "ciphermark.sqlite"):
            (tmp_path / "data" / name).write_text("")
        remove(settings(tmp_path), None)
        assert [path.name for path in (tmp_path / "data").iterdir()] == ["ciphermark.sqlite"]
