"""Every error of Ciphermark, in one tree.

CiphermarkError
├── NotFound                    404  the thing named does not exist
├── Conflict                    409  the thing exists, but its state forbids this
│   ├── TransitionRefused            a run or job cannot go from this state to that
│   └── SecondSession                two daemons claim to be one agent
├── InvalidRequest              422  the request itself is wrong; nothing was stored
│   ├── PlanRefused                  a plan that cannot be executed
│   └── ChunkMissing                 the corpus lacks an input that the plan names
├── Unauthorized                401  no token, or one that is unknown, expired or revoked
├── Forbidden                   403  a known token without the role for this
├── UpgradeRequired             426  a daemon that speaks another version of the messages
├── Unavailable                 503  a part of the system is away; try again
├── ChunkDamaged                     bytes that do not have the SHA-256 they are named by
├── CurveDamaged                500  stored samples that cannot be read
├── TimingsDamaged              500  stored timings that cannot be read
├── RunnerError                      a runner did not do its work
│   ├── RunnerCrashed                it ended with a signal or an undocumented exit code
│   ├── RunnerTimeout                it was ended by the launcher after its time
│   ├── RunnerOutputExceeded         it was ended by the launcher after writing too much
│   ├── RunnerRefused                it ended with a documented error (exit 2 to 6)
│   └── ProtocolMismatch             what it printed is not protocol version 1
├── BuildFailed                      a toolchain could not make the runners
├── AgentError
│   ├── NotEnrolled                  this machine has no identity yet
│   └── Unreachable                  the service or Redis does not answer
├── MeasurementError
│   ├── NoData                       a reading that this machine cannot give, with the reason
│   └── CommandFailed                a program of the user's own failed while it was measured
└── SetupError                       something is missing on this machine, or taken
    └── AlreadyRunning               another ``up`` works on this data folder

A message says what was seen, what was expected and what to do. The docstring of a class is its title.
"""

from typing import ClassVar


class CiphermarkError(Exception):
    """Something went wrong."""

    status: ClassVar[int] = 500

    def __init__(self, detail: str = "", *, remedy: str = "", field: str = "", **facts: object) -> None:
        """Keep the sentence, what to do about it, the field it concerns (dotted path) and the facts."""
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
    """The thing named does not exist."""

    status = 404


class Conflict(CiphermarkError):
    """The present state forbids this."""

    status = 409


class TransitionRefused(Conflict):
    """A run or job cannot go from this state to that one."""


class SecondSession(Conflict):
    """Another daemon is already running as this agent."""


class InvalidRequest(CiphermarkError):
    """The request is wrong; nothing was stored."""

    status = 422


class PlanRefused(InvalidRequest):
    """The plan cannot be executed; nothing was stored."""


class ChunkMissing(InvalidRequest):
    """The corpus lacks an input that the plan names; nothing was stored."""


class Unauthorized(CiphermarkError):
    """A valid token is needed."""

    status = 401


class Forbidden(CiphermarkError):
    """This token does not have the role for this."""

    status = 403


class UpgradeRequired(CiphermarkError):
    """The daemon and the service have different versions."""

    status = 426


class Unavailable(CiphermarkError):
    """A part of the system is away; try again."""

    status = 503


class ChunkDamaged(CiphermarkError):
    """The bytes of a chunk do not have the SHA-256 they are named by."""


class CurveDamaged(CiphermarkError):
    """The stored samples of an execution cannot be read."""


class TimingsDamaged(CiphermarkError):
    """The stored timings of an execution cannot be read."""


class RunnerError(CiphermarkError):
    """A runner did not do its work."""


class RunnerCrashed(RunnerError):
    """The runner ended with a signal or an undocumented exit code."""


class RunnerTimeout(RunnerError):
    """The runner was ended after its time."""


class RunnerOutputExceeded(RunnerError):
    """The runner was ended because it wrote too much."""


class RunnerRefused(RunnerError):
    """The runner ended with a documented error."""


class ProtocolMismatch(RunnerError):
    """What the runner printed is not the protocol."""


class BuildFailed(CiphermarkError):
    """The runners could not be built."""


class AgentError(CiphermarkError):
    """The daemon cannot do its work."""


class NotEnrolled(AgentError):
    """This machine has no identity yet."""


class Unreachable(AgentError):
    """The service or Redis does not answer."""


class MeasurementError(CiphermarkError):
    """A measurement could not be made."""


class NoData(MeasurementError):
    """This machine cannot give this reading."""


class CommandFailed(MeasurementError):
    """The measured program failed."""


class SetupError(CiphermarkError):
    """Something is missing on this machine, or already taken."""


class AlreadyRunning(SetupError):
    """Another ``ciphermark up`` works on this data folder."""
