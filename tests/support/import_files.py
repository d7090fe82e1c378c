"""Files of other tools, and their imports over HTTP."""

from typing import Any

import httpx

from tests.support.live_service import Served
from tests.support.paths import REPOSITORY

FOLDER = REPOSITORY / "tests" / "fixtures" / "imports"
PATH = "/api/v1/imports"


def text_of(name: str) -> str:
    """Return the text of a fixture."""
    return (FOLDER / name).read_text(encoding="utf-8")


def send(client: httpx.Client, name: str, **other: Any) -> httpx.Response:
    """Import a fixture, or other content under its name."""
    return client.post(PATH, json={"name": name, "content": other.pop("content", None) or text_of(name), **other})


def imported(served: Served, name: str, **other: Any) -> dict[str, Any]:
    """Return the import of a fixture, made by an admin."""
    with served.client("admin") as client:
        answer = send(client, name, **other)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found
