"""Sender of a request, and what it may do.

Roles: admin includes submitter and join, submitter includes viewer. An agent's token acts only for that agent; a join
token only enrolls a machine.
"""

from dataclasses import dataclass

from orchestrator.errors import Forbidden

_INCLUDED: dict[str, frozenset[str]] = {
    "admin": frozenset({"admin", "submitter", "viewer", "join"}),
    "submitter": frozenset({"submitter", "viewer"}),
    "viewer": frozenset({"viewer"}),
    "agent": frozenset({"agent"}),
    "join": frozenset({"join"}),
}


@dataclass(frozen=True)
class Caller:
    """Sender of a request: its role, and the agent or token that it authenticated as."""

    role: str
    label: str
    """Label for users: the token's label, ``dashboard``, or ``this machine``."""
    agent_id: str | None = None
    token_id: str | None = None
    cookie_sha256: str | None = None
    """Digest of the cookie of a session of the dashboard."""

    @property
    def own_agent_id(self) -> str:
        """Id of the agent that the caller acts for; raises Forbidden if the token is not an agent's."""
        if self.agent_id is None:
            raise Forbidden(
                "This requires an agent's own token.", remedy="Enroll the machine: ciphermark daemon enroll."
            )
        return self.agent_id

    def may(self, *roles: str) -> bool:
        """Return whether the caller's role is or includes one of these."""
        return not _INCLUDED.get(self.role, frozenset()).isdisjoint(roles)
