"""Requests and responses of the token and session endpoints."""

from datetime import datetime
from typing import Literal

from pydantic import Field, model_validator

from orchestrator.wire.base import Line, Message, ServiceResponse

Role = Literal["viewer", "submitter", "agent", "admin", "join", "share"]


class TokenRequest(Message):
    """Token to create."""

    role: Role = Field(
        description="A `join` token can be exchanged once for an agent's identity.", examples=["submitter"]
    )
    label: Line = Field(default="", max_length=80, description="Label for users.", examples=["laptop of Ada"])
    expires_in_seconds: int | None = Field(default=None, ge=60, le=10 * 366 * 86_400)
    """Null: the token does not expire, except a join token, after an hour at most."""

    @model_validator(mode="after")
    def _is_made_here(self) -> "TokenRequest":
        if self.role == "share":
            raise ValueError("a share link belongs to a run; create it with POST /runs/{run_id}/shares")
        if self.role == "agent":
            raise ValueError(
                "the token of an agent is created when it enrolls; create a token with the role join instead"
            )
        return self


class RotationRequest(Message):
    """A new text for a token."""

    grace_seconds: int | None = Field(default=None, ge=0, le=30 * 86_400)
    """How long the old text remains valid; null: until the new one is used for the first time."""
    expires_in_seconds: int | None = Field(default=None, ge=60, le=10 * 366 * 86_400)
    """Validity of the new text, not beyond that of the old one; null: until the old one would have ended."""


class TokenSummary(ServiceResponse):
    """A token without its text."""

    id: str
    family_id: str
    """First token of its rotations; all of a family are revoked together."""
    role: Role
    label: str
    agent_id: str | None
    run_id: str | None
    """Of a share link: the only run that it shows."""
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None
    """Time of the last use, accurate to one minute."""


class TokenCreated(TokenSummary):
    """A new token. Only this response contains its text."""

    token: str = Field(examples=["cm_submitter_3v…"])
    broker_password: str | None = None
    """Of an agent that rotates its own token: its new password for Redis, which becomes valid with the token."""


class ShareRequest(Message):
    """A link that shows one run to everyone who has it."""

    expires_in_seconds: int = Field(default=30 * 86_400, ge=60, le=366 * 86_400)


class ShareCreated(TokenCreated):
    """A new share link. Only this response contains it."""

    path: str
    """Path to open in a browser: ``/shared/cm_share_…``."""


class LoginCode(ServiceResponse):
    """A one-time code for the dashboard, valid for 15 minutes."""

    code: str
    path: str
    """Path to open in a browser: ``/login?code=…``."""


class LoginRequest(Message):
    """Token to exchange for the dashboard's session cookie."""

    token: str = Field(min_length=1, max_length=200)
