"""Two processes cannot lock the same core, unless one of them shares it."""

import multiprocessing
import os
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from orchestrator.measurement.machine.core_lock import CoreLock, lock_holders
from orchestrator.shared.errors import SetupError

CORE = 100_000 + os.getpid()
"""No machine has it, and tests in other processes use other ones."""


def _hold(core: int, shared: bool, end: Connection) -> None:
    with CoreLock(core, shared=shared):
        end.send("locked")
        end.recv()


@pytest.fixture
def locked(request: pytest.FixtureRequest) -> Iterator[int]:
    """Yield the process that has the lock of CORE, exclusively unless the parameter is "shared"."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_hold, args=(CORE, getattr(request, "param", "") == "shared", theirs))
    process.start()
    assert ours.recv() == "locked"
    assert process.pid is not None
    yield process.pid
    ours.send("end")
    process.join()


def test_second_daemon_is_refused_on_this_core_alone_with_the_process_and_the_settings(locked: int) -> None:
    with pytest.raises(SetupError, match=rf"Core {CORE} .*process {locked}") as refused:
        CoreLock(CORE)
    assert "CIPHERMARK_MEASURED_CORE" in (refused.value.remedy or "")
    assert "CIPHERMARK_SHARE_CORE" in (refused.value.remedy or "")
    with CoreLock(CORE + 1_000_000):
        assert lock_holders(CORE, Path("/proc/net/unix").read_text()) == [locked], "a refused lock leaves nothing"


def test_shared_core_is_free_and_shows_both_processes(locked: int) -> None:
    with CoreLock(CORE, shared=True):
        assert set(lock_holders(CORE, Path("/proc/net/unix").read_text())) == {locked, os.getpid()}


@pytest.mark.parametrize("locked", ["shared"], indirect=True)
def test_core_that_another_process_shares_can_be_locked(locked: int) -> None:
    with CoreLock(CORE):
        assert locked in lock_holders(CORE, Path("/proc/net/unix").read_text())


def test_lock_is_released_by_closing_it() -> None:
    for _ in range(2):
        with CoreLock(CORE):
            pass
