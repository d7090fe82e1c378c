"""Events of the launcher are recognized by their name."""

import pytest
from pydantic import ValidationError

from orchestrator.wire.launcher import Ended, Refused, Started

ENDED = {"event": "ended", "id": 1, "pid": 42, "spawn_ns": 5, "end_ns": 9, "exit_code": None, "signal": 9,
         "timed_out": True, "output_exceeded": False, "user_us": 1, "system_us": 1, "max_rss_bytes": 1,
         "minor_faults": 0, "major_faults": 0, "voluntary_switches": 0, "involuntary_switches": 0,
         "stdout_bytes": 0, "stderr_bytes": 0}  # fmt: skip


def test_event_of_another_kind_is_refused() -> None:
    assert Ended.model_validate(ENDED).signal == 9
    with pytest.raises(ValidationError, match="event"):
        Started.model_validate(ENDED)


@pytest.mark.parametrize("field", ["user_us", "max_rss_bytes", "stdout_bytes", "end_ns"])
def test_counters_are_not_negative(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        Ended.model_validate(ENDED | {field: -1})


def test_refusal_of_an_unreadable_request_has_no_id() -> None:
    assert Refused.model_validate_json('{"event": "error", "id": null, "detail": "no JSON"}').id is None
