import os
import stat
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from orchestrator.daemon.program import start
from orchestrator.daemon.session.identity import (
    DataFolderLock,
    Identity,
    load_identity,
    require_private_channel,
    reserved_identity,
)
from orchestrator.measurement.machine.core_lock import CoreLock
from orchestrator.shared.errors import NotEnrolled, SecondSession, SetupError
from orchestrator.shared.settings import DaemonSettings
from orchestrator.wire.agents import EnrollmentResponse
from tests.support.small_disk import small_disk

IDENTITY = Identity(
    service_url="https://server:8451",
    enrollment=EnrollmentResponse(
        agent_id="abcdefghij01",
        name="pi",
        agent_token="cm_agent_x",
        broker_url="rediss://server:6380/0",
        broker_username="ag-abcdefghij01",
        broker_password="secret",
        key_prefix="ag:abcdefghij01:",
        queue="jobs",
    ),
)


def save_identity(data_folder: Path, identity: Identity) -> Path:
    with reserved_identity(data_folder) as save:
        return save(identity)


class TestIdentity:
    def test_identity_is_readable_by_its_owner_only(self, tmp_path: Path) -> None:
        path = save_identity(tmp_path / "new", IDENTITY)

        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert load_identity(tmp_path / "new") == IDENTITY

    def test_missing_identity_names_the_command_to_enroll(self, tmp_path: Path) -> None:
        with pytest.raises(NotEnrolled, match="daemon enroll --server"):
            load_identity(tmp_path)

    def test_second_identity_is_rejected(self, tmp_path: Path) -> None:
        save_identity(tmp_path, IDENTITY)
        with pytest.raises(SetupError, match="belongs to an agent already"):
            save_identity(tmp_path, IDENTITY)

    def test_damaged_identity_is_a_setup_error(self, tmp_path: Path) -> None:
        (tmp_path / "identity.json").write_text('{"service_url": 1}')
        with pytest.raises(SetupError, match="damaged"):
            load_identity(tmp_path)


class TestPrivateChannel:
    @pytest.mark.parametrize(
        "url",
        ["https://server:8451", "http://127.0.0.1:8451", "http://localhost", "http://[::1]:1", "redis+socket:///run/x"],
    )
    def test_encrypted_and_local_channels_are_private(self, url: str) -> None:
        require_private_channel(url, insecure_lan=False)

    @pytest.mark.parametrize("url", ["http://server:8451", "redis://192.168.1.2:6379/0", "http://127.evil.example"])
    def test_unencrypted_network_requires_permission(self, url: str) -> None:
        with pytest.raises(SetupError, match="--insecure-lan"):
            require_private_channel(url, insecure_lan=False)
        require_private_channel(url, insecure_lan=True)

    @pytest.mark.parametrize("url", ["", "server", "ftp://server", "https://"])
    def test_invalid_address_is_rejected(self, url: str) -> None:
        with pytest.raises(SetupError, match="is not the address"):
            require_private_channel(url, insecure_lan=True)


class TestDataFolderLock:
    def test_second_daemon_is_rejected_with_the_process_id_of_the_first(self, tmp_path: Path) -> None:
        with DataFolderLock(tmp_path), pytest.raises(SecondSession, match=r"Process \d+ is a daemon"):
            DataFolderLock(tmp_path)

    def test_daemon_locks_its_folder_on_a_full_disk(self, tmp_path: Path) -> None:
        """Regression: the daemon could not start, because its lock notes its process in a file (S116)."""
        with small_disk(tmp_path / "disk", 1) as disk:
            DataFolderLock(disk.folder).close()
            for lock in disk.folder.glob("*"):
                lock.write_bytes(b"")
            disk.fill()
            with (
                DataFolderLock(disk.folder),
                pytest.raises(SecondSession, match="is a daemon with the data folder"),
                DataFolderLock(disk.folder),
            ):
                pass


def test_daemon_does_not_start_on_a_core_that_is_measured(tmp_path: Path) -> None:
    """Two daemons of one machine took the same core, and neither noticed."""
    save_identity(tmp_path, IDENTITY)
    core = max(os.sched_getaffinity(0))
    settings = DaemonSettings(data_folder=tmp_path, measured_core=core, share_core=False)
    with ExitStack() as stack:
        with suppress(SetupError):  # Another daemon of this machine may have it: that one is in the way as well.
            stack.enter_context(CoreLock(core))
        with pytest.raises(SetupError, match=f"Core {core} is measured by another daemon"):
            start(settings)
    DataFolderLock(tmp_path).close()
