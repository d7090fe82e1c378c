"""Priority of processes."""

import os
import subprocess

from orchestrator.shared.priority import lower_priority


def test_niceness_is_raised_and_never_lowered() -> None:
    # `nice make demo` ended with a PermissionError for everyone but root: a part of `up` has a niceness of 5.
    own = os.getpriority(os.PRIO_PROCESS, 0)
    with subprocess.Popen(["sleep", "60"]) as process:
        for requested, expected in ((own - 1, own), (own, own), (19, 19)):
            lower_priority(process.pid, requested)
            assert os.getpriority(os.PRIO_PROCESS, process.pid) == expected
        process.kill()
