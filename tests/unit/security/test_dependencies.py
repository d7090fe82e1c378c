"""Ids in paths are validated by one rule for all endpoints."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.service.security import dependencies


def validate(annotation: Any, value: object) -> object:
    return TypeAdapter(annotation).validate_python(value)


@pytest.mark.parametrize("annotation", [dependencies.RunId, dependencies.AgentId, dependencies.TokenId])
def test_text_ids_have_at_most_40_characters(annotation: Any) -> None:
    assert validate(annotation, "x" * 40) == "x" * 40
    with pytest.raises(ValidationError):
        validate(annotation, "x" * 41)


@pytest.mark.parametrize("number", [0, -1, 2**63])
def test_row_ids_are_positive_and_fit_the_database(number: int) -> None:
    assert validate(dependencies.RowId, 2**63 - 1) == 2**63 - 1
    with pytest.raises(ValidationError):
        validate(dependencies.RowId, number)


@pytest.mark.parametrize("text", ["0" * 63, "0" * 65, "g" * 64, "A" * 64, "../" + "0" * 61, "0" * 64 + "\n"])
def test_sha256_is_64_lower_case_hexadecimal_digits(text: str) -> None:
    assert validate(dependencies.Sha256, "0123456789abcdef" * 4)
    with pytest.raises(ValidationError):
        validate(dependencies.Sha256, text)
