"""Pictures of charts, and the chart library of the pages, made by a process of their own.

vl-convert embeds a JavaScript engine. It takes 60 MiB for the first picture and 77 MiB for the library, and never
releases them (x86-64, November 2026), so this process never imports it. Pictures are for browsers without JavaScript,
and for downloads.
"""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Literal

from orchestrator.shared.errors import Unavailable

PictureFormat = Literal["svg", "png", "pdf"]

PROGRAM = Path(__file__).with_name("vega_program.py")
TIMEOUT_SECONDS = 120
"""For a picture of the largest chart on a loaded small machine; it takes half a second on a quiet one."""
_making = threading.Lock()
"""One process at a time: each takes 70 to 150 MiB while it works."""


def picture(spec: dict[str, Any], form: PictureFormat = "svg") -> bytes:
    """Return a Vega-Lite specification drawn in this format; raises Unavailable."""
    return _made(form, "picture", json.dumps(spec))


def library(snippet: str) -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, with a snippet that uses them; raises Unavailable."""
    return _made("library", "library", snippet).decode()


def _made(task: str, what: str, given: str) -> bytes:
    # -I: neither the working directory nor the user's settings decide which modules are imported.
    command = [sys.executable, "-I", str(PROGRAM), task]
    try:
        with _making:
            done = subprocess.run(
                command, input=given.encode(), capture_output=True, check=True, timeout=TIMEOUT_SECONDS
            )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(
            f"The {what} was not ready within {TIMEOUT_SECONDS} s.", remedy="Try again when the machine is less busy."
        ) from error
    except subprocess.CalledProcessError as error:
        # The last line that is not indented: below it is where in its scripts it happened.
        lines = error.stderr.decode(errors="replace").strip().splitlines()
        last = [line for line in lines if line == line.lstrip()][-1:]
        raise Unavailable(
            f"The program that makes the {what} ended with {error.returncode}: {''.join(last) or 'no message'}",
            remedy="The page shows the chart with JavaScript; the table has the same figures.",
        ) from error
    return done.stdout
