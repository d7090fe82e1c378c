"""Sender of a request, and what it may do.

Roles: admin includes submitter and join, submitter includes viewer. An agent's token acts only for that agent; a join
token only enrolls a machine, and a share link only reads its run.
"""

from dataclasses import dataclass

from orchestrator.shared.errors import Forbidden

_INCLUDED: dict[str, frozenset[str]] = {
    "admin": frozenset({"admin", "submitter", "viewer", "join"}),
    "submitter": frozenset({"submitter", "viewer"}),
    "viewer": frozenset({"viewer"}),
    "agent": frozenset({"agent"}),
    "join": frozenset({"join"}),
    "share": frozenset(),
}


@dataclass(frozen=True)
class Caller:
    """Sender of a request: its role, and the agent or token that it authenticated as."""

    role: str
    label: str
    """Label for users: the token's label, ``dashboard``, or ``this machine``. It proves nothing: labels repeat."""
    agent_id: str | None = None
    run_id: str | None = None
    """Run that a share link shows."""
    token_id: str | None = None
    family_id: str | None = None
    """Family of the token, which owns what the caller makes; None: a caller without a token."""
    cookie_sha256: str | None = None
    """Digest of the cookie of a session of the dashboard."""

    @property
    def name(self) -> str:
        """Name for users: the label, or the role without one."""
        return self.label or self.role

    def require_token(self, operation: str, command: str) -> None:
        """Raise Forbidden for a session of the dashboard, which ends within hours: what it made would stay valid.

        operation: completes "cannot": ``create tokens``; command: what does it with a token.
        """
        if self.cookie_sha256 is not None:
            raise Forbidden(f"A session of the dashboard cannot {operation}.", remedy=f"Use: {command}.")

    def owns(self, owner_id: str | None) -> bool:
        """Return whether the caller may change what this family of tokens made: its own, or everything as an admin."""
        return self.role == "admin" or (owner_id is not None and owner_id == self.family_id)

    def require_own(self, owner_id: str | None, made: str, operation: str) -> None:
        """Raise Forbidden where another token made something, except for admins.

        owner_id: family of the token that made it; None: unknown.
        made: sentence about that without its period; operation: imperative for the remedy: ``Delete``.
        """
        if not self.owns(owner_id):
            raise Forbidden(f"{made}.", remedy=f"{operation} it with the token that did this, or with an admin's.")

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
