"""Execution of a command line: report on standard output, errors as one JSON line on standard error."""

from __future__ import annotations

import importlib
import os
import sys

from ciphers.errors import AuthenticationFailed

from program.errors import RunnerError
from program.measure import Phases
from program.options import HELP, parse

COMMANDS = {
    "list": "program.listing",
    "crypt": "program.crypt",
    "kat": "program.kat",
    "process": "program.process",
    "noop": "program.process",
    "latency": "program.latency",
}
"""Module of each command; only the one that is executed is imported."""


def execute(arguments: list[str], main_ns: int) -> int:
    """Execute a command and return the exit code."""
    phases = Phases(main_ns)
    try:
        if arguments in (["--help"], ["-h"]):
            print(HELP)
            return 0
        options = parse(arguments)
        importlib.import_module(COMMANDS[options.command]).execute(options, phases)
        sys.stdout.flush()
    except RunnerError as error:
        return _report(error)
    except AuthenticationFailed:
        return _report(
            RunnerError(
                "authentication-failed",
                "decrypt rejected the tag: it does not match key, nonce, associated data and ciphertext",
            )
        )
    except MemoryError:
        return _report(RunnerError("bad-input", "the machine does not have enough memory for this input"))
    except Exception as error:  # The outermost handler: a stack trace is no error line.
        return _report(RunnerError("internal", f"{type(error).__name__}: {error}"))
    return 0


def _report(error: RunnerError) -> int:
    import json

    try:
        sys.stdout.flush()
    except OSError:  # Closed: nothing more is written at the exit, and the exit code still reports the failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    line = json.dumps({"error": error.name, "detail": error.detail})
    print(line, file=sys.stderr)
    return error.exit_code
