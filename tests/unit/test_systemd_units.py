"""The units in deploy/systemd, verified by systemd itself, and the installer's refusals."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY

FOLDER = REPOSITORY / "deploy/systemd"
UNITS = sorted(FOLDER.glob("*.service"))
STANDARD_UNITS = Path("/usr/lib/systemd/system")


def verify(root: Path) -> subprocess.CompletedProcess[str]:
    """Return the result of systemd-analyze for our units in a root."""
    units = sorted((root / "etc/systemd/system").glob("*.service"))
    command = ["systemd-analyze", f"--root={root}", "verify", "--recursive-errors=no", *map(str, units)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with our units, systemd's own units, and a program at the path of every ExecStart."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed (package systemd)")
    shutil.copytree(STANDARD_UNITS, tmp_path / "usr/lib/systemd/system", symlinks=True)
    (tmp_path / "etc/systemd/system").mkdir(parents=True)
    for unit in UNITS:
        shutil.copy(unit, tmp_path / "etc/systemd/system")
        for program in re.findall(r"^ExecStart=/(\S+)", unit.read_text(), re.MULTILINE):
            target = tmp_path / program
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy("/bin/true", target)
    return tmp_path


def test_systemd_accepts_every_unit_without_a_remark(root: Path) -> None:
    done = verify(root)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("unit", "exposure"),
    # The unit of the daemon has the reasons for what it leaves open.
    [("redis", 2.0), ("service", 2.0), ("scheduler", 2.0), ("daemon", 4.0)],
)
def test_unit_exposes_no_more_of_the_system_than_its_program_uses(root: Path, unit: str, exposure: float) -> None:
    path = root / f"etc/systemd/system/ciphermark-{unit}.service"
    command = ["systemd-analyze", "--no-pager", f"--root={root}", "security", "--offline=true"]
    judged = subprocess.run(
        [*command, f"--threshold={exposure * 10:.0f}", path.name], capture_output=True, text=True, check=False
    )
    assert judged.returncode == 0, judged.stdout.splitlines()[-1:] or judged.stderr


def test_server_and_daemon_share_no_folder_so_that_one_machine_can_have_both() -> None:
    folders = {
        unit.name: set(re.findall(r"^(?:State|Cache)Directory=(\S+)", unit.read_text(), re.MULTILINE)) for unit in UNITS
    }
    daemon = folders.pop("ciphermark-daemon.service")
    assert daemon == {"ciphermark-agent"}
    assert not daemon & set().union(*folders.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--insecure-lan"], "--insecure-lan needs an address"),
        (["--insecure-lan", "0.0.0.0"], "0.0.0.0 is not an address that devices can reach"),
        (["--insecure-lan", "10.0.0.1; reboot"], "is not an address"),
        (["--port", "eighty"], "--port has the value 'eighty', expected a number"),
        (["--port", "70000"], "--port is 70000, expected 1 to 65534"),
        (["--tls", "10.0.0.1", "one.pem"], "--tls needs an address and two files"),
        (["--listen"], "--listen is not an option"),
    ],
)
def test_installer_refuses_wrong_options_before_it_changes_anything(options: list[str], message: str) -> None:
    done = subprocess.run(
        [str(FOLDER / "install-server.sh"), *options], capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.returncode == 2
    assert message in done.stderr
