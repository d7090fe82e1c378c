"""Imports of `ciphermark measure` before its first execution; the time itself depends on the machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.test_start_up import BEFORE_THE_RESULT, OURS

MARK = "the program is executed"


@pytest.fixture(scope="module")
def imported_before(cache_folder: Path) -> set[str]:
    """Return the modules whose import ended before the program wrote to standard error, to which both write."""
    code = "from orchestrator.cli.main import main; main()"
    command = ["measure", "-n", "1", "--show-output", "--", "sh", "-c", f"echo '{MARK}' >&2"]
    environment = {**os.environ, "CIPHERMARK_CACHE_FOLDER": str(cache_folder)}
    environment.pop("COVERAGE_PROCESS_CONFIG", None)
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code, *command],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stderr.count(MARK) == 1
    return set(re.findall(r"^import time: .*\| +(\S+)$", done.stderr.partition(MARK)[0], re.MULTILINE))


@pytest.mark.parametrize("package", [*BEFORE_THE_RESULT, *OURS])
def test_first_execution_does_not_wait_for(imported_before: set[str], package: str) -> None:
    assert "orchestrator.cli.adhoc.series" in imported_before
    assert package not in imported_before
