"""Priority of processes."""

import os
import subprocess

from orchestrator.shared.priority import lower_priority


def test_niceness_is_raised_and_never_lowered() -> None:
    # `nice make demo` ended with a PermissionError for everyone but root: a part of `up` has a niceness of 5.
    with subprocess.Popen(["sleep", "60"], preexec_fn=lambda: os.nice(7)) as process:  # noqa: PLW1509 - a system call
        for requested, expected in ((5, 7), (7, 7), (12, 12)):
            lower_priority(process.pid, requested)
            assert os.getpriority(os.PRIO_PROCESS, process.pid) == expected
        process.kill()
