"""``ciphermark ci --local``: two builds compared without a service."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.cli.exit_codes import ExitCode
from tests.support.paths import REPOSITORY
from tests.support.system import CIPHERMARK, NO_VALGRIND, a_plan

pytestmark = pytest.mark.long


def programs(folder: Path, *, slower: bool) -> Path:
    """Make a build whose SHA-256 takes a millisecond longer, or not."""
    folder.mkdir()
    for program in ("ciphermark-own", "ciphermark-launcher"):
        shutil.copy2(REPOSITORY / "build" / "runners" / program, folder)
    runner = Path(shutil.copy2(REPOSITORY / "runners" / "examples" / "ciphermark-hashlib", folder))
    text, work = runner.read_text(), "        hashlib.sha256(message).digest()\n"
    assert text.count(work) == 1
    runner.write_text(text.replace(work, f"{work}        time.sleep(0.001)\n") if slower else text)
    return folder


def test_slower_build_fails_and_nothing_keeps_running(tmp_path: Path) -> None:
    messages = {"lengths": [16], "operations": ["digest"], "timings": 2, "min_timing_ms": 1}
    matrix = {"protocol": "latency", "providers": ["hashlib"], "algorithms": ["sha-256"], "messages": messages}
    (tmp_path / "plan.json").write_text(json.dumps(a_plan(matrix=[matrix], repetitions=2)))
    former, new = (programs(tmp_path / name, slower=name == "new") for name in ("former", "new"))
    environment = os.environ | {
        "CIPHERMARK_DATA_FOLDER": str(tmp_path / "data"),
        "CIPHERMARK_CACHE_FOLDER": str(tmp_path / "cache"),
        "CIPHERMARK_PORT": "0",
        "CIPHERMARK_QUARANTINE_DRIFT": "100",
        "PATH": f"{NO_VALGRIND}:{os.environ['PATH']}",
    }
    options = ["--local", "--baseline", former, "--build", new, "--former-runs", "5", "--summary", "ci.md", "--github"]
    done = subprocess.run(  # noqa: PLW1510
        [*CIPHERMARK, "ci", "plan.json", *options],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == ExitCode.REGRESSION, done.stdout + done.stderr
    assert "hashlib sha-256 openssl, digest 16 B, on " in done.stdout
    assert "::error file=plan.json,title=Worse%3A hashlib sha-256 openssl%2C digest 16 B" in done.stderr
    summary = (tmp_path / "ci.md").read_text()
    assert summary.startswith("## acceptance against 5 former runs")
    assert "127.0.0.1" not in summary  # The service has ended.
    lock = json.loads((tmp_path / "data" / "up.json").read_text() or "{}")
    assert not lock or not Path(f"/proc/{lock['pid']}").exists()
