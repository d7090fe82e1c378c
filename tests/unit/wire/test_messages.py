"""Parameters of timed messages that several protocols share."""

import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.shared.units import GIB
from orchestrator.wire import messages


@pytest.mark.parametrize(("size", "valid"), [(0, True), (GIB, True), (-1, False), (GIB + 1, False)])
def test_timed_message_has_at_most_1_gib(size: int, valid: bool) -> None:
    adapter: TypeAdapter[int] = TypeAdapter(messages.TimedBytes)
    if valid:
        assert adapter.validate_python(size) == size
    else:
        with pytest.raises(ValidationError):
            adapter.validate_python(size)
