"""Requests for tokens are bounded, and the token of an agent cannot be requested."""

import pytest
from pydantic import ValidationError

from orchestrator.service.security.schemas import LoginRequest, TokenRequest


class TestTokenRequest:
    def test_token_of_an_agent_is_created_by_enrollment_only(self) -> None:
        with pytest.raises(ValidationError, match="when it enrolls"):
            TokenRequest.model_validate({"role": "agent"})

    @pytest.mark.parametrize("fields", [{"label": "x" * 81}, {"expires_in_seconds": 59}, {"expires_in_seconds": 10**9}])
    def test_values_beyond_the_limits_are_refused(self, fields: dict[str, object]) -> None:
        with pytest.raises(ValidationError):
            TokenRequest.model_validate({"role": "viewer", **fields})

    def test_unknown_field_is_refused(self) -> None:
        with pytest.raises(ValidationError, match="agent_id"):
            TokenRequest.model_validate({"role": "viewer", "agent_id": "pi"})


@pytest.mark.parametrize("token", ["", "x" * 201])
def test_login_refuses_tokens_of_impossible_length(token: str) -> None:
    with pytest.raises(ValidationError):
        LoginRequest(token=token)
