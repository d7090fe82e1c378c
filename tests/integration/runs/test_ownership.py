"""A run belongs to the token that submitted it and to the rotations of that token, not to a label."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from orchestrator.service.security import sessions
from tests.support.fleet import Fleet
from tests.support.waiting import GENEROUS_SECONDS

CHANGES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/pause", {}),
    ("POST", "/resume", {}),
    ("POST", "/cancel", {}),
    ("PATCH", "", {"tags": ["mine"]}),
    ("DELETE", "", None),
)
"""In an order in which the owner can do one after the other."""


@pytest.fixture
def browsers(fleet: Fleet) -> Iterator[list[httpx.Client]]:
    """Two sessions of the dashboard, opened by tokens with the same label."""
    opened = []
    for _ in range(2):
        plain = fleet.served.token("submitter")
        with fleet.database.write() as session:
            cookie = sessions.open_by_token(session, plain)
        own = {"Origin": fleet.served.url}
        opened.append(
            httpx.Client(
                base_url=fleet.served.url, cookies={sessions.COOKIE: cookie}, headers=own, timeout=GENEROUS_SECONDS
            )
        )
    yield opened
    for browser in opened:
        browser.close()


def change(client: httpx.Client, run_id: str, method: str, path: str, body: Any) -> int:
    return client.request(method, f"/api/v1/runs/{run_id}{path}", json=body).status_code


def test_another_token_of_the_same_label_changes_nothing(fleet: Fleet, browsers: list[httpx.Client]) -> None:
    """Regression: a session changed and deleted the runs of all others (S101), any submitter stopped them (S114)."""
    own, other = browsers
    run_id = own.post("/api/v1/runs", json={"plan": fleet.run(fleet.submit())["plan"]}).json()["id"]
    with fleet.served.client("submitter") as namesake:
        for one in CHANGES:
            assert [change(client, run_id, *one) for client in (other, namesake, fleet.submitter)] == [403, 403, 403]
    assert [change(own, run_id, *one) for one in CHANGES] == [200, 200, 200, 200, 204]
