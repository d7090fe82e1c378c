"""Exit codes of ``ciphermark``; docs/cli.md lists them for people who write scripts."""

from enum import IntEnum

from orchestrator import errors


class ExitCode(IntEnum):
    """What the number means that a command ends with."""

    OK = 0
    """It worked."""
    FAILED = 1
    """An error of Ciphermark itself, or one that fits no other number."""
    USAGE = 2
    """The command line was wrong."""
    SETUP = 3
    """Something is missing on this machine; the message names the command that brings it."""
    NOT_FOUND = 4
    """The thing named does not exist."""
    REFUSED = 5
    """The plan or request is wrong; nothing was stored."""
    CONFLICT = 6
    """The present state forbids it."""
    FORBIDDEN = 7
    """No token, or one without the role."""
    UNREACHABLE = 8
    """The service or Redis does not answer."""
    ALREADY_RUNNING = 9
    """Another ``up`` works on this data folder; the message says where."""
    RUN_NOT_FINISHED = 10
    """The watched run was cancelled or failed."""
    DAMAGED = 11
    """A verification found damaged chunks or programs."""
    BUILD_FAILED = 12
    """The runners could not be built."""
    COMMAND_FAILED = 13
    """The program that ``measure`` was to measure failed, or could not be executed."""
    SECOND_SESSION = 75
    """Another daemon is running as this agent."""
    INTERRUPTED = 130
    """Ended by Ctrl-C."""


# The first class that matches decides, so that a subclass stands before its parent.
_CODES: tuple[tuple[type[errors.CiphermarkError], ExitCode], ...] = (
    (errors.SecondSession, ExitCode.SECOND_SESSION),
    (errors.AlreadyRunning, ExitCode.ALREADY_RUNNING),
    (errors.SetupError, ExitCode.SETUP),
    (errors.NotEnrolled, ExitCode.SETUP),
    (errors.NotFound, ExitCode.NOT_FOUND),
    (errors.Conflict, ExitCode.CONFLICT),
    (errors.InvalidRequest, ExitCode.REFUSED),
    (errors.Unauthorized, ExitCode.FORBIDDEN),
    (errors.Forbidden, ExitCode.FORBIDDEN),
    (errors.Unreachable, ExitCode.UNREACHABLE),
    (errors.Unavailable, ExitCode.UNREACHABLE),
    (errors.ChunkDamaged, ExitCode.DAMAGED),
    (errors.BuildFailed, ExitCode.BUILD_FAILED),
    (errors.CommandFailed, ExitCode.COMMAND_FAILED),
)


def exit_code(error: errors.CiphermarkError) -> ExitCode:
    """Return the number that a command ends with after this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.FAILED)
