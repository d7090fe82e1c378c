"""Tokens and sessions as the API shows them."""

from datetime import datetime

from pydantic import Field, model_validator

from orchestrator.security.tokens import Role
from orchestrator.wire.base import Message, Report


class TokenRequest(Message):
    """POST /api/v1/tokens."""

    role: Role = Field(description="`join` trades once for an agent's identity.", examples=["submitter"])
    label: str = Field(default="", max_length=80, description="For people.", examples=["laptop of Ada"])
    expires_in_seconds: int | None = Field(default=None, ge=60, le=10 * 366 * 86_400)
    """Null: never; a join token always expires (setting token_seconds)."""

    @model_validator(mode="after")
    def _agents_enrol(self) -> "TokenRequest":
        if self.role == "agent":
            raise ValueError("an agent's token is made by its enrollment; ask for the role join")
        return self


class TokenSummary(Report):
    """A token without its text."""

    id: str
    role: Role
    label: str
    agent_id: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None
    """Of the last use, within a minute."""


class TokenCreated(TokenSummary):
    """A new token. Its text is told this once."""

    token: str = Field(examples=["cm_submitter_3v…"])


class LoginCode(Report):
    """A one-time code for the dashboard, valid for 15 minutes."""

    code: str
    path: str
    """To open in a browser: ``/login?code=…``."""


class LoginRequest(Message):
    """POST /api/v1/sessions: a token, to get the dashboard's cookie."""

    token: str = Field(min_length=1, max_length=200)
