"""Constant time of a build: an agent reports results of its own, listed implementations, and a later one replaces."""

from typing import Any

import pytest

from tests.support.agent_reports import build, enroll
from tests.support.live_service import Served

PATH = f"/api/v1/builds/{'b' * 64}/constant-time"


def result(**given: Any) -> dict[str, Any]:
    found = {
        "errors": 0,
        "max_message_bytes": 4101,
        "hidden_features": [],
        "reason": "",
        "t": 1.5,
        "timed_calls": 20_000,
    }
    return {"provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", **found, "timing_reason": "", **given}


def test_later_result_replaces_the_earlier(served: Served) -> None:
    client, _ = enroll(served)
    assert client.post(PATH, json={"results": [result()]}).status_code == 404
    build_id = client.post("/api/v1/builds", json=build()).json()["id"]
    path = f"/api/v1/builds/{build_id}/constant-time"
    (row,) = served.viewer.get(path).json()
    assert (row["label"], row["reason"]) == ("unknown", "its agent has not reported a check")
    assert client.post(PATH, json={"results": [result()]}).json() == {"stored": 1}
    assert served.viewer.get(path).json()[0]["label"] == "no claim, no leak found"
    client.post(PATH, json={"results": [result(errors=3)]})
    (row,) = served.viewer.get(path).json()
    assert row["label"] == "no claim, found 3 errors"
    assert "at least 3 branches or addresses" in row["explanation"]


def test_implementation_that_the_build_does_not_list_is_refused(served: Served) -> None:
    client, _ = enroll(served)
    build_id = client.post("/api/v1/builds", json=build()).json()["id"]
    answer = client.post(PATH, json={"results": [result(), result(variant="fastest")]})
    assert answer.status_code == 422
    assert "does not list 'own aes-128-ctr fastest'" in answer.json()["detail"]
    # Nothing of the report is stored.
    assert served.viewer.get(f"/api/v1/builds/{build_id}/constant-time").json()[0]["errors"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"errors": None},
        {"errors": 2**31},
        {"reason": "not checked"},
        {"t": None},
        {"hidden_features": ["<b>"]},
    ],
)
def test_results_that_no_runner_makes_are_refused(served: Served, wrong: dict[str, Any]) -> None:
    client, _ = enroll(served)
    client.post("/api/v1/builds", json=build())
    assert client.post(PATH, json={"results": [result(**wrong)]}).status_code == 422
