"""Compressed responses of the real service: pages, JSON, CSV and SVG, and nothing else."""

import httpx
import pytest

from tests.support.database import Shape, fill
from tests.support.live_service import Served

pytestmark = pytest.mark.untraced

RUN = "good00000001"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, Shape(run_id=RUN, repetitions=6, kinds=("text",), with_curves=False))
    return served


def fetch(served: Served, path: str, encoding: str) -> tuple[httpx.Response, int]:
    """Return a response and the number of bytes of its body on the network."""
    with (
        served.client("submitter") as client,
        client.stream("GET", path, headers={"Accept": "text/html, */*", "Accept-Encoding": encoding}) as answer,
    ):
        answer.read()
        return answer, answer.num_bytes_downloaded


def test_response_with_a_secret_is_not_compressed(served: Served) -> None:
    with served.client("admin") as admin:
        answer = admin.post(
            "/agents/add",
            content="name=pi4",
            headers={"Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded"},
        )
        # The form alone is compressed.
        form = admin.get("/agents/add", headers={"Accept": "text/html"})
    assert answer.status_code == 200, answer.text
    assert "curl" in answer.text
    assert "content-encoding" not in answer.headers
    assert form.headers["content-encoding"] == "gzip"
