"""``ciphermark up`` on a full disk: every program goes on or is restarted, and all recovers when there is room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.up_process import SECONDS, UpProcess
from tests.support.waiting import until


@pytest.fixture
def unprinted(tmp_path: Path) -> Iterator[UpProcess]:
    """Return an `up` whose output goes to a device that is always full."""
    (tmp_path / "up.log").symlink_to("/dev/full")
    up = UpProcess(tmp_path, "--port", "0")
    try:
        yield up
    finally:
        up.end()


def is_ready(up: UpProcess) -> bool:
    assert up.process.poll() is None, "`up` ended"
    return (up.data / "cli.json").exists() and up.ready()


@pytest.mark.long
def test_up_goes_on_when_its_output_cannot_be_written(unprinted: UpProcess) -> None:
    """Regression: a notice that could not be printed ended everything with a traceback (F115)."""
    up = unprinted
    until(lambda: is_ready(up), "readiness", SECONDS)
    before = up.children()["scheduler"].pid
    up.children()["scheduler"].kill()
    until(lambda: up.children().get("scheduler") not in (None, before), "the restart of the scheduler", SECONDS)
    until(lambda: is_ready(up), "readiness", SECONDS)
    up.process.terminate()
    assert up.process.wait(SECONDS) == 0
