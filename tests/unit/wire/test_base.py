"""Messages refuse unknown fields, reports ignore them, and ids have one format."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.wire import base


class _Order(base.Message):
    count: int = 0


class _Statement(base.Report):
    count: int = 0


def test_message_refuses_unknown_fields_so_that_a_typing_error_is_noticed() -> None:
    with pytest.raises(ValidationError, match="cuont"):
        _Order.model_validate({"cuont": 1})


def test_report_ignores_unknown_fields_of_a_newer_program() -> None:
    assert _Statement.model_validate({"count": 1, "added_later": 2}) == _Statement(count=1)


@pytest.mark.parametrize(
    ("annotation", "valid", "invalid"),
    [
        (base.Sha256, "0123456789abcdef" * 4, ["0" * 63, "0" * 65, "A" * 64, "g" * 64]),
        (base.AgentId, "p8w2n5t1c6zd", ["p8w2n5t1c6z", "P8W2N5T1C6ZD", "p8w2n5t1c6zd*", "../../../../"]),
        (base.RunId, "k3v9x0q2m7ab", ["", "k3v9x0q2m7abc"]),
        (base.SessionId, "0" * 32, ["0" * 31, "x" * 32]),
        (base.AlgorithmId, "aes-192-cbc", ["-aes", "aes-", "aes--192", "AES", "a" * 65, "aes 192"]),
        (base.ProviderName, "python-binding", ["-binding", "python-", "Python", "", "o" * 33]),
        (base.VariantName, "bi32_armv7m", ["-opt64", "opt64-", "Opt64", "", "v" * 33]),
        (base.Count, 0, [-1]),
        (base.Nanoseconds, 2**70, [-1]),
    ],
)
def test_value_types_accept_their_format_only(annotation: Any, valid: object, invalid: list[object]) -> None:
    adapter = TypeAdapter(annotation)

    assert adapter.validate_python(valid) == valid
    for value in invalid:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


def test_names_in_redis_separate_agents() -> None:
    # The prefix of one agent must not be the beginning of another agent's keys.
    assert base.key_prefix("a" * 12) == "ag:aaaaaaaaaaaa:"
    assert base.broker_username("a" * 12) == "ag-aaaaaaaaaaaa"
