"""Processes below this one, and kills from outside that hit a process at work."""

from collections.abc import Iterator
from contextlib import suppress

import psutil

from tests.support.waiting import until


def below(mark: str, root: psutil.Process | None = None) -> Iterator[psutil.Process]:
    """Yield the processes below `root`, by default this process, that have a word with the mark in their command."""
    for process in (root or psutil.Process()).children(recursive=True):
        with suppress(psutil.Error):
            if any(mark in word for word in process.cmdline()):
                yield process


def killed_at_work(runner: psutil.Process) -> bool:
    """Kill a runner and return whether it was at work: one that has ended already has its result."""
    with suppress(psutil.NoSuchProcess):
        runner.suspend()
        ended = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
        until(lambda: runner.status() in (psutil.STATUS_STOPPED, *ended), "the stop of the runner")
        if runner.status() == psutil.STATUS_STOPPED:
            runner.kill()
            return True
    return False


def kill_a_runner(provider: str = "own") -> bool:
    """Kill a runner below this process; return whether one was at work."""
    return any(killed_at_work(runner) for runner in below(f"ciphermark-{provider}"))


def kill_a_launcher() -> bool:
    """Kill a launcher below this process; return whether there was one."""
    for launcher in below("ciphermark-launcher"):
        with suppress(psutil.NoSuchProcess):
            launcher.kill()
            return True
    return False
