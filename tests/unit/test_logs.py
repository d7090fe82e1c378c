"""Logging: lines go to standard error, whatever that is at the time of the line."""

import subprocess
import sys

PROGRAM = """
import contextlib, io, logging, structlog
from orchestrator.logs import configure

log = structlog.get_logger("test")
first, second = io.StringIO(), io.StringIO()
with contextlib.redirect_stderr(first):
    configure("info")
    log.info("one", number=1)
    logging.getLogger("other").warning("of the standard library")
first_text = first.getvalue()
first.close()
with contextlib.redirect_stderr(second):
    log.info("two")
print(first_text + "---\\n" + second.getvalue(), end="")
"""


def test_lines_follow_a_replaced_standard_error() -> None:
    """Regression: a command of an earlier test had closed the stream that every later line was written to."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    before, _, after = done.stdout.partition("---\n")
    assert "event=one number=1" in before
    assert "logger=other" in before
    assert "event=two" in after
    assert done.stderr == ""
