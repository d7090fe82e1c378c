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
