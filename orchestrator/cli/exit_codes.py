"""Exit codes of ``ciphermark``; docs/cli.md lists them."""

from enum import IntEnum

from orchestrator.shared import errors


class ExitCode(IntEnum):
    """Meaning of a command's exit code."""

    OK = 0
    """Success."""
    FAILED = 1
    """Internal error, or an error without a code of its own."""
    USAGE = 2
    """Invalid command line."""
    SETUP = 3
    """A requirement is missing on this machine; the message names the command that installs it."""
    NOT_FOUND = 4
    """The named resource does not exist."""
    REFUSED = 5
    """The plan or request is invalid; nothing was stored."""
    CONFLICT = 6
    """The present state does not allow the operation."""
    FORBIDDEN = 7
    """No token, or a token without the required role."""
    UNREACHABLE = 8
    """The service or Redis does not answer, or a disk is full: the same command can succeed later."""
    ALREADY_RUNNING = 9
    """Another ``up`` uses this data folder; the message names its address."""
    RUN_NOT_FINISHED = 10
    """The watched run was cancelled or failed."""
    DAMAGED = 11
    """A verification found damaged chunks or programs, or a bundle that is not what was exported or cannot be true."""
    BUILD_FAILED = 12
    """The runners could not be built."""
    COMMAND_FAILED = 13
    """The program measured by ``measure`` failed or could not be executed."""
    REGRESSION = 14
    """``ci`` found cases that became worse, or that have no verified result any more."""
    UNDECIDED = 15
    """``ci`` left cases out or knows too little to find a change within its limit; ``traffic`` ranks no candidate."""
    UNVOUCHED = 16
    """``papers verify`` found nothing wrong, and no allowed signer who vouches for the readings."""
    SECOND_SESSION = 75
    """Another daemon is running as this agent."""
    INTERRUPTED = 130
    """Interrupted by Ctrl-C."""


# The first matching class decides, so subclasses come before their parents.
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
    (errors.BundleDamaged, ExitCode.DAMAGED),
    (errors.BuildFailed, ExitCode.BUILD_FAILED),
    (errors.CommandFailed, ExitCode.COMMAND_FAILED),
)


def exit_code(error: errors.CiphermarkError) -> ExitCode:
    """Return the exit code for this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.FAILED)
