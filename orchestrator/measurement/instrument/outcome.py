"""Outcome of a command: a report, a failure with the runner's error message, or both.

Messages of the wire are imported when an execution fails: their package, pydantic, would take most of the start of
``ciphermark measure``.
"""

import json
import signal
from typing import TYPE_CHECKING

from orchestrator.measurement.launch.launcher import Launched
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.shared.errors import ProtocolMismatch

if TYPE_CHECKING:
    from orchestrator.wire.records import Failure

NOT_VERIFIED = "not-verified"
IMPOSSIBLE_TIMING = "impossible-timing"
WRONG = frozenset({NOT_VERIFIED, IMPOSSIBLE_TIMING})
"""Failures of an execution that completed with a wrong or impossible result: its state is ``wrong``."""

NOT_LAUNCHED = "launch-failed"
KILLED = "runner-killed"
OUT_OF_MEMORY = "out-of-memory"
FILE_CHANGED = "file-changed"
INFRASTRUCTURE = frozenset({NOT_LAUNCHED, KILLED, OUT_OF_MEMORY, FILE_CHANGED})
"""Failures that are not the fault of the runner: the daemon repeats such an execution."""

OUTSIDE_SIGNALS = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
"""Signals that no fault of a program raises. The launcher's own kills (timeout, output limit) are known as such."""

_STDERR_CHARACTERS = 8192
_DOCUMENTED_REFUSALS = (2, 3, 4, 5)
_EXIT_NOT_VERIFIED = 6


def read_outcome(command: Command, launched: Launched) -> "tuple[RunnerReadings | None, Failure | None]":
    """Return the report of a runner that completed its work, and the failure if the work failed or is wrong."""
    failure = _failure_of_ending(command, launched)
    if failure is not None:
        return None, failure
    try:
        readings = command.read(launched)
        if readings.verified != (launched.ended.exit_code == 0):
            raise ProtocolMismatch(
                f"The runner reported verified={readings.verified} but ended with exit code {launched.ended.exit_code}."
            )
    except ProtocolMismatch as error:
        return None, _failure("protocol-mismatch", str(error), launched)
    if not readings.verified:
        return readings, _failure(NOT_VERIFIED, f"The output did not verify. {_describe_exit(launched)}", launched)
    if readings.impossible:
        return readings, _failure(IMPOSSIBLE_TIMING, readings.impossible, launched)
    return readings, None


def _failure_of_ending(command: Command, launched: Launched) -> "Failure | None":
    ended = launched.ended
    if ended.timed_out:
        error, detail = "runner-timeout", f"Killed after {command.timeout_seconds:g} s."
    elif ended.output_exceeded:
        error, detail = (
            "runner-output-exceeded",
            f"Killed after more than {command.output_limit_bytes} bytes of output.",
        )
    elif ended.signal in OUTSIDE_SIGNALS:
        error, detail = KILLED, f"Ended by signal {ended.signal}, which another process or the kernel sent."
    elif ended.signal is not None:
        error, detail = "runner-crashed", f"Ended by signal {ended.signal}."
    elif ended.exit_code in _DOCUMENTED_REFUSALS:
        error, detail = "runner-refused", _describe_exit(launched)
    elif ended.exit_code not in (0, _EXIT_NOT_VERIFIED):
        error, detail = "runner-crashed", _describe_exit(launched)
    else:
        return None
    return _failure(error, detail, launched)


def _describe_exit(launched: Launched) -> str:
    """Return the exit code with its meaning and the runner's error message, or the last line that it printed."""
    from orchestrator.wire.runners import EXIT_MEANINGS  # noqa: PLC0415 - see the module's docstring

    code = launched.ended.exit_code
    meaning = EXIT_MEANINGS.get(code if code is not None else -1, "an undocumented exit code")
    last = launched.stderr.rstrip().rpartition(b"\n")[2]
    try:
        document = json.loads(last)
        message = f"{document['error']}: {document['detail']}"
    except (ValueError, KeyError, TypeError):
        printed = _text(last).strip()
        message = f"the runner printed: {printed}" if printed else "the runner printed no error"
    return f"Exit {code} ({meaning}); {message}."


def _failure(error: str, detail: str, launched: Launched) -> "Failure":
    from orchestrator.wire.records import Failure  # noqa: PLC0415 - as above

    return Failure(
        error=error,
        detail=detail[:4000],
        exit_code=launched.ended.exit_code,
        signal=launched.ended.signal,
        stderr_tail=_text(launched.stderr)[-_STDERR_CHARACTERS:],
    )


def _text(output: bytes) -> str:
    return output.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
