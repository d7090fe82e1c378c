import json
from typing import Any

import pytest
from starlette.requests import Request

from orchestrator.web import rendering


def request(query: str = "", accept: str = "text/html") -> Request:
    scope: dict[str, Any] = {
        "type": "http", "method": "GET", "path": "/agents", "query_string": query.encode(),
        "headers": [(b"accept", accept.encode())], "state": {},
    }  # fmt: skip
    return Request(scope)


@pytest.mark.parametrize(
    ("query", "accept", "expected"),
    [
        ("", "text/html,*/*", False),
        ("format=json", "text/html", True),
        ("", "application/json", True),
        ("", "text/html,application/json", False),
        ("", "*/*", False),
    ],
)
def test_json_is_chosen_by_query_or_accept_header(query: str, accept: str, expected: bool) -> None:
    assert rendering.wants_json(request(query, accept)) is expected


def test_query_is_changed_and_empty_values_are_removed() -> None:
    found = rendering.with_query(request("provider=own&kind=&page=3"), page=None, sort="-encrypt")
    assert found == "?provider=own&sort=-encrypt"


def test_page_is_the_view_as_json_or_html() -> None:
    lists = ("agents", "groups", "states", "healths", "labels", "architectures", "features")
    view = {name: [] for name in lists} | {"total": 0, "narrowed": False}
    as_json = rendering.page(request("format=json"), "agents/agents.html", view)
    as_html = rendering.page(request(), "agents/agents.html", view)
    assert json.loads(bytes(as_json.body)) == view
    assert b"No agent is enrolled" in bytes(as_html.body)
    for answer in (as_json, as_html):
        assert answer.headers["content-security-policy"] == rendering.POLICY
