"""Events of the launcher are recognized by their name."""

import json
from typing import Any

import pytest

from orchestrator.wire.launcher import Ended, Refused, Started, read_event
from tests.unit.measurement.runner import test_process_report

ENDED = {"event": "ended"} | vars(test_process_report.ended(exit_code=None, signal=9, timed_out=True))


def test_event_of_another_kind_is_refused() -> None:
    assert Ended.read(ENDED).signal == 9
    with pytest.raises(ValueError, match="event"):
        Started.read(ENDED)


@pytest.mark.parametrize("value", [-1, None, "1", 1.5, True])
def test_counters_are_not_negative_and_integers(value: object) -> None:
    with pytest.raises(ValueError, match="max_rss_bytes"):
        Ended.read(ENDED | {"max_rss_bytes": value})


def test_missing_key_is_refused_and_an_unknown_one_is_ignored() -> None:
    with pytest.raises(ValueError, match="pid: missing"):
        Ended.read({name: value for name, value in ENDED.items() if name != "pid"})
    assert Ended.read(ENDED | {"of_a_newer_launcher": 5}) == Ended.read(ENDED)


def test_refusal_of_an_unreadable_request_has_no_id() -> None:
    refused = read_event(b'{"event": "error", "id": null, "detail": "no JSON"}')
    assert isinstance(refused, Refused)
    assert refused.id is None


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"5", b"\xff", json.dumps({"event": "other"}).encode()])
def test_line_that_is_no_event_is_refused(line: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_event(line)
