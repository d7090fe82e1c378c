"""PDF of a report: its HTML, printed by WeasyPrint in a process of its own, if the extra ``pdf`` is installed."""

import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

from orchestrator import web
from orchestrator.errors import Unavailable

PROGRAM = Path(web.__file__).with_name("pdf_program.py")
"""Not in this folder, whose modules are imported to find their routers."""
TIMEOUT_SECONDS = 120
_printing = threading.Lock()
"""One process at a time: each takes about 100 MiB while it works."""


def available() -> bool:
    """Return whether WeasyPrint is installed."""
    return find_spec("weasyprint") is not None


def pdf_of(html: str) -> bytes:
    """Return an HTML document as PDF; raises Unavailable, also where WeasyPrint or its libraries are missing."""
    if not available():
        raise Unavailable(
            "PDF needs WeasyPrint, which is not installed where the service runs.",
            remedy="Install the extra: pip install 'ciphermark[pdf]' and apt-get install libpango-1.0-0 "
            "libpangoft2-1.0-0; or print the HTML report from a browser.",
        )
    # -I: neither the working directory nor the user's settings decide which modules are imported.
    command = [sys.executable, "-I", str(PROGRAM)]
    try:
        with _printing:
            done = subprocess.run(
                command, input=html.encode(), capture_output=True, check=True, timeout=TIMEOUT_SECONDS
            )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            f"The PDF was not ready within {TIMEOUT_SECONDS} s.", remedy="Try again when the machine is less busy."
        ) from error
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise Unavailable(
            f"The program that prints the PDF ended with {error.returncode}: {''.join(last)[:200] or 'no message'}",
            remedy="Install its libraries: apt-get install libpango-1.0-0 libpangoft2-1.0-0; or print the HTML report.",
        ) from error
    return done.stdout
