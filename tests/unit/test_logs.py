"""Logging: lines go to standard error, whatever that is at the time of the line."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import contextlib, io, logging, structlog
from orchestrator.shared.logs import configure

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


SECRET = """
import logging, structlog
from orchestrator.shared.logs import configure

configure("debug")
structlog.get_logger("test").info("refused", path="/shared/cm_share_" + 43 * "a")
logging.getLogger("uvicorn.access").info("GET %s", "/shared/cm_share_" + 43 * "a")
"""


def test_no_line_has_a_token() -> None:
    done = subprocess.run([sys.executable, "-c", SECRET], capture_output=True, text=True, check=True)
    assert done.stderr.count("/shared/cm_share_...") == 2
    assert "aaaa" not in done.stderr


FULL = """
import structlog
from orchestrator.cli.output import notes
from orchestrator.shared.logs import configure

configure("info")
structlog.get_logger("test").info("one")
notes().print("two")
print("went on", flush=True)
"""


def test_program_goes_on_when_the_disk_of_its_log_is_full() -> None:
    # Finding F115: `up` ended with a traceback, and scheduler and daemon ended.
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-c", FULL], stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    assert done.stdout == "went on\n"
