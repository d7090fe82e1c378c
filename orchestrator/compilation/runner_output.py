"""Output of a runner's command that is not measured, or the reason why it failed."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from orchestrator.wire.runners import ErrorLine

_ERROR_BYTES = 1500


@dataclass(frozen=True)
class RunnerOutput:
    """Standard output of a command, also of one that failed."""

    stdout: bytes
    failure: str = ""
    """Why it did not end with exit code 0; empty if it did."""


def execute_runner(command: Sequence[str], seconds: float) -> RunnerOutput:
    """Execute a command of a runner, for a limited time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return RunnerOutput(b"", f"did not finish within {seconds:g} s")
    except OSError as error:
        return RunnerOutput(b"", f"could not be started: {error.strerror}")
    return RunnerOutput(done.stdout, f"ended with {done.returncode}: {_end(done.stderr)}" if done.returncode else "")


def _end(stderr: bytes) -> str:
    """Return the sentence of a runner's error, or the end of what another program wrote."""
    try:
        return ErrorLine.model_validate_json(stderr).detail
    except ValidationError:
        return stderr[-_ERROR_BYTES:].decode(errors="replace").strip()
