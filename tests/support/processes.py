"""Processes below this one, and kills from outside that hit a process at work."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from tests.support.waiting import until

ENDED = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


def below(mark: str, root: psutil.Process | None = None) -> Iterator[psutil.Process]:
    """Yield the processes below `root`, by default this process, that have a word with the mark in their command."""
    for process in (root or psutil.Process()).children(recursive=True):
        with suppress(psutil.Error):
            if any(mark in word for word in process.cmdline()):
                yield process


def is_alive(pid: int) -> bool:
    """Return whether a process has not ended; a zombie has."""
    try:
        return psutil.Process(pid).status() not in ENDED
    except psutil.NoSuchProcess:
        return False


def stopped_at_work(runner: psutil.Process) -> bool:
    """Stop a runner (SIGSTOP) and return whether it was at work: one that has ended already has its result."""
    with suppress(psutil.NoSuchProcess):
        runner.suspend()
        until(lambda: runner.status() in (psutil.STATUS_STOPPED, *ENDED), "the stop of the runner")
        return runner.status() == psutil.STATUS_STOPPED
    return False


def killed_at_work(runner: psutil.Process) -> bool:
    """Kill a runner and return whether it was at work."""
    if stopped := stopped_at_work(runner):
        runner.kill()
    return stopped


def kill_a_runner(provider: str = "own") -> bool:
    """Kill a runner below this process; return whether one was at work."""
    return any(killed_at_work(runner) for runner in below(f"ciphermark-{provider}"))


def touch_a_program_at_work(program: Path) -> bool:
    """Change the times of a program that a runner below this process executes; return whether one did."""
    for runner in below(str(program)):
        if stopped_at_work(runner):
            os.utime(program)
            runner.resume()
            return True
    return False


def kill_a_launcher() -> bool:
    """Kill a launcher below this process; return whether there was one."""
    for launcher in below("ciphermark-launcher"):
        with suppress(psutil.NoSuchProcess):
            launcher.kill()
            return True
    return False
