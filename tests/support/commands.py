"""Commands of `ciphermark`, executed in the process of the test against a service of the test.

A process of its own costs 1 to 4 s of processor time for its imports.
"""

import io
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from typer.testing import CliRunner, Result

from orchestrator.cli.main import app, main
from orchestrator.service.security import tokens
from tests.support.live_service import Served

COLUMNS = "200"
"""Width of the printed tables: no cell is cut."""
Command = Callable[..., Result]


def command_of(served: Served, role: tokens.Role, token_file: Path) -> Command:
    """Return a function that executes `ciphermark` with its arguments and a new token of this role."""
    token_file.write_text(served.token(role))
    access = ("--url", served.url, "--token-file", str(token_file))
    runner = CliRunner(env={"COLUMNS": COLUMNS})

    def execute(*arguments: str) -> Result:
        return runner.invoke(app, [*access, *arguments])

    return execute


def succeeded(result: Result) -> str:
    """Return the output of a command, which must have succeeded."""
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def printed(result: Result) -> str:
    """Return the output of a command, which must have succeeded, with single spaces between its words."""
    return " ".join(succeeded(result).split())


def executed(environment: Mapping[str, str], *arguments: str, given: str = "") -> CompletedProcess[str]:
    """Execute `ciphermark ARGUMENTS` with an environment as a process would, with its messages and exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.dict(os.environ, environment, clear=True),
        patch.object(sys, "argv", ["ciphermark", *arguments]),
        patch.object(sys, "stdin", io.StringIO(given)),
    ):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    printed_out, printed_err = (stream.buffer.getvalue().decode() for stream in (out, err))
    return CompletedProcess(arguments, code, printed_out, printed_err)
