"""What to ask of a runner, and what came out of it: a report, or a failure with the runner's own words."""

import json
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import ProtocolMismatch
from orchestrator.measurement.launcher import Launched
from orchestrator.measurement.runner_report import RunnerReadings, parse_report, read_report
from orchestrator.wire.base import NOOP
from orchestrator.wire.records import Failure
from orchestrator.wire.runners import EXIT_MEANINGS, ProcessReport

_STDERR_CHARACTERS = 8192
_DOCUMENTED_REFUSALS = (2, 3, 4, 5)
_NOT_VERIFIED = 6


@dataclass(frozen=True)
class Command:
    """One ``process`` or ``noop`` of a runner, and what its report has to say."""

    program: Path
    provider: str
    algorithm: str
    """``noop`` for the runner's ``noop`` command."""
    variant: str
    input_file: Path
    input_bytes: int
    timeout_seconds: float
    output_limit_bytes: int

    @property
    def is_noop(self) -> bool:
        """Tell whether nothing is encrypted."""
        return self.algorithm == NOOP

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        if self.is_noop:
            return (str(self.program), "noop", "--in", str(self.input_file))
        names = ("--algorithm", self.algorithm, "--variant", self.variant)
        return (str(self.program), "process", *names, "--in", str(self.input_file))


def read_outcome(command: Command, launched: Launched) -> tuple[RunnerReadings | None, Failure | None]:
    """Return the report of a runner that finished its work (verified or not), or the failure of one that did not."""
    failure = _failure_of_ending(command, launched)
    if failure is not None:
        return None, failure
    try:
        report = parse_report(launched.stdout)
        _require_what_was_asked(command, report)
        readings = read_report(report, launched.ended)
        if readings.verified != (launched.ended.exit_code == 0):
            raise ProtocolMismatch(
                f"The runner said verified={report.verified} and ended with {launched.ended.exit_code}."
            )
    except ProtocolMismatch as error:
        return None, _failure("protocol-mismatch", str(error), launched)
    if readings.verified:
        return readings, None
    return readings, _failure("not-verified", "What it decrypted is not what it had encrypted.", launched)


def _failure_of_ending(command: Command, launched: Launched) -> Failure | None:
    ended = launched.ended
    if ended.timed_out:
        error, detail = "runner-timeout", f"Ended after {command.timeout_seconds:g} s."
    elif ended.output_exceeded:
        error, detail = "runner-output-exceeded", f"Ended after more than {command.output_limit_bytes} bytes of output."
    elif ended.signal is not None:
        error, detail = "runner-crashed", f"Ended by signal {ended.signal}."
    elif ended.exit_code in _DOCUMENTED_REFUSALS:
        error, detail = "runner-refused", _words_of_exit(launched)
    elif ended.exit_code not in (0, _NOT_VERIFIED):
        error, detail = "runner-crashed", _words_of_exit(launched)
    else:
        return None
    return _failure(error, detail, launched)


def _require_what_was_asked(command: Command, report: ProcessReport) -> None:
    asked = (command.provider, command.algorithm, command.input_bytes)
    said = (report.provider, report.algorithm, report.input_bytes)
    if said != asked or (report.variant != command.variant and not command.is_noop):
        raise ProtocolMismatch(f"The runner reports {said} {report.variant}, asked was {asked} {command.variant}.")


def _words_of_exit(launched: Launched) -> str:
    """Return the runner's own sentence where it gave one."""
    code = launched.ended.exit_code
    meaning = EXIT_MEANINGS.get(code if code is not None else -1, "an undocumented exit code")
    last = launched.stderr.rstrip().rpartition(b"\n")[2]
    try:
        document = json.loads(last)
        said = f"{document['error']}: {document['detail']}"
    except (ValueError, KeyError, TypeError):
        said = "it gave no error line"
    return f"Exit {code} ({meaning}); {said}."


def _failure(error: str, detail: str, launched: Launched) -> Failure:
    tail = launched.stderr.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return Failure(
        error=error,
        detail=detail[:4000],
        exit_code=launched.ended.exit_code,
        signal=launched.ended.signal,
        stderr_tail=tail[-_STDERR_CHARACTERS:],
    )
