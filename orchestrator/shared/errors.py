"""Exceptions of Ciphermark in one tree.

CiphermarkError
├── NotFound                    404  the resource does not exist
├── Conflict                    409  the current state does not permit this operation
│   ├── TransitionRefused            a run or job cannot change from this state to that one
│   └── SecondSession                two daemons run as one agent
├── InvalidRequest              422  the request is invalid; nothing was stored
│   ├── PlanRefused                  the plan cannot be executed
│   └── ChunkMissing                 the corpus has no chunk that the plan requires
├── Unauthorized                401  no valid token
├── Forbidden                   403  the token does not have the required role
├── BodyTimeout                 408  the body did not arrive in time
├── BodyTooLong                 413  the body is longer than this operation accepts
├── MediaTypeRefused            415  the body is not application/json
├── UpgradeRequired             426  client or daemon and service have different versions
├── TooManyRequests             429  the caller has reached one of its limits
├── Unavailable                 503  a part of the system is not available
│   ├── NoRoom                       the disk of the service is full or cannot be written
│   ├── DatabaseDamaged              the database file is damaged; nothing is written
│   ├── Overloaded                   the service has more work than it can finish in time
│   └── AgentsPreparing              the agents of a plan are preparing their first runners
├── ChunkDamaged                     the bytes of a chunk do not have its SHA-256
├── BundleDamaged                    the archive of a run is not what was exported
├── CurveDamaged                500  the stored samples cannot be decoded
├── TimingsDamaged              500  the stored timings cannot be decoded
├── ProtocolMismatch                 the output of a runner is not protocol version 2
├── BuildFailed                      the runners could not be compiled
│   ├── UnsupportedCPU               the CPU cannot execute cross-built runners
│   └── NoRunners                    this device has no compiler, and the service offers no cross-built runners
├── NotEnrolled                      this machine is not enrolled
├── Unreachable                      the service or Redis does not answer
├── MeasurementError
│   ├── NoData                       this machine does not have this reading
│   └── CommandFailed                a measured program of the user failed
└── SetupError                       something is missing or in use on this machine
    └── AlreadyRunning               another ``ciphermark up`` uses this data folder

A message contains the value seen and the value expected, `remedy` what to do. The docstring of a class is its title.
"""

from typing import ClassVar


class CiphermarkError(Exception):
    """An operation failed."""

    status: ClassVar[int] = 500

    def __init__(self, detail: str = "", *, remedy: str = "", field: str = "", **facts: object) -> None:
        """Store the message, the remedy, the dotted path of the field that it concerns, and facts for programs."""
        self.detail = detail or self.title()
        self.remedy = remedy
        self.field = field
        self.facts = facts
        super().__init__(self.detail)

    @classmethod
    def title(cls) -> str:
        """Return the first line of the class docstring."""
        return (cls.__doc__ or cls.__name__).strip().splitlines()[0]

    @classmethod
    def kind(cls) -> str:
        """Return the kebab-case name of the class, the last part of a problem's type."""
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("-")

    def __str__(self) -> str:
        return f"{self.detail} {self.remedy}".strip()


class NotFound(CiphermarkError):
    """The resource does not exist."""

    status = 404


class Conflict(CiphermarkError):
    """The current state does not permit this operation."""

    status = 409


class TransitionRefused(Conflict):
    """A run or job cannot change from this state to that one."""


class SecondSession(Conflict):
    """Another daemon is already running as this agent."""


class InvalidRequest(CiphermarkError):
    """The request is invalid; nothing was stored."""

    status = 422


class PlanRefused(InvalidRequest):
    """The plan cannot be executed; nothing was stored."""


class ChunkMissing(InvalidRequest):
    """The corpus has no chunk that the plan requires; nothing was stored."""


class Unauthorized(CiphermarkError):
    """A valid token is required."""

    status = 401


class Forbidden(CiphermarkError):
    """The token does not have the required role."""

    status = 403


class BodyTimeout(CiphermarkError):
    """The body did not arrive in time."""

    status = 408


class BodyTooLong(CiphermarkError):
    """The body is longer than this operation accepts."""

    status = 413


class MediaTypeRefused(CiphermarkError):
    """The body is not application/json."""

    status = 415


class UpgradeRequired(CiphermarkError):
    """The client or daemon and the service have different versions."""

    status = 426


class TooManyRequests(CiphermarkError):
    """The caller has reached one of its limits; the fact `retry_after_seconds` has the pause before a repetition."""

    status = 429


class Unavailable(CiphermarkError):
    """A part of the system is not available."""

    status = 503


class NoRoom(Unavailable):
    """A disk of the service or of a daemon is full or cannot be written."""


class DatabaseDamaged(Unavailable):
    """The database file is damaged; nothing is written."""


class Overloaded(Unavailable):
    """The service has more work than it can finish in time; `retry_after_seconds` has the pause before a repetition."""


class AgentsPreparing(Unavailable):
    """The agents of the plan are building or testing their runners; `retry_after_seconds` has the pause."""


class ChunkDamaged(CiphermarkError):
    """The bytes of a chunk do not have its SHA-256."""


class BundleDamaged(CiphermarkError):
    """The archive of a run is not what was exported."""


class CurveDamaged(CiphermarkError):
    """The stored samples of an execution cannot be decoded."""


class TimingsDamaged(CiphermarkError):
    """The stored timings of an execution cannot be decoded."""


class ProtocolMismatch(CiphermarkError):
    """The output of the runner does not follow the protocol."""


class BuildFailed(CiphermarkError):
    """The runners could not be compiled."""


class UnsupportedCPU(BuildFailed):
    """The CPU lacks features that the cross-built runners need."""


class NoRunners(BuildFailed):
    """This device has no compiler, and the service offers no cross-built runners for it."""


class NotEnrolled(CiphermarkError):
    """This machine is not enrolled."""


class Unreachable(CiphermarkError):
    """The service or Redis does not answer."""


class MeasurementError(CiphermarkError):
    """The measurement failed."""


class NoData(MeasurementError):
    """This machine does not have this reading."""


class CommandFailed(MeasurementError):
    """The measured program failed."""


class SetupError(CiphermarkError):
    """Something is missing or in use on this machine."""


class AlreadyRunning(SetupError):
    """Another ``ciphermark up`` uses this data folder."""
