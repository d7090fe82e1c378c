import subprocess
import sys

import pytest

from orchestrator.measurement.launch.affinity import choose_measured_core
from orchestrator.shared.errors import SetupError


class TestChooseMeasuredCore:
    def test_missing_core_is_refused_with_the_allowed_ones(self) -> None:
        with pytest.raises(SetupError, match="Core 4095") as caught:
            choose_measured_core(4095)
        assert "CIPHERMARK_MEASURED_CORE" in str(caught.value)


def test_existing_threads_leave_the_core_too() -> None:
    """The daemon's heartbeat thread starts before its main thread leaves, and stayed on the measured core."""
    program = (
        "import os, threading\n"
        "from orchestrator.measurement.launch.affinity import leave_core\n"
        "begun, end = threading.Event(), threading.Event()\n"
        "thread = threading.Thread(target=lambda: (begun.set(), end.wait()))\n"
        "thread.start(); begun.wait()\n"
        "core = max(os.sched_getaffinity(0))\n"
        "alone = len(os.sched_getaffinity(0)) == 1\n"
        "left = leave_core(core)\n"
        "print(left != alone, core in os.sched_getaffinity(thread.native_id) and not alone)\n"
        "end.set()\n"
    )

    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert said.split() == ["True", "False"]
