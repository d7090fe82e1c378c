"""Compressed responses of the real service: pages, JSON, CSV and SVG, and nothing else."""

import httpx
import pytest

from tests.support.database import Shape, fill
from tests.support.live_service import Served
from tests.support.seldom import seldom

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


@pytest.mark.parametrize(
    "path",
    [
        f"/runs/{RUN}", f"/api/v1/runs/{RUN}/cases", f"/api/v1/runs/{RUN}/export?format=csv",
        *seldom(
            f"/runs/{RUN}?format=json", f"/runs/{RUN}/answer", f"/api/v1/runs/{RUN}/export?format=jsonl",
            f"/runs/{RUN}/charts/throughput.svg", f"/runs/{RUN}/charts/throughput.csv",
        ),
    ],
)  # fmt: skip
def test_text_is_compressed_and_the_same(served: Served, path: str) -> None:
    plain, length = fetch(served, path, "identity")
    packed, packed_length = fetch(served, path, "gzip")
    assert (plain.status_code, packed.status_code) == (200, 200)
    assert (plain.headers.get("content-encoding"), packed.headers["content-encoding"]) == (None, "gzip")
    assert "accept-encoding" in packed.headers["vary"].lower()
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert packed_length < length / 2
    if "/api/" in path or "/charts/" in path:
        assert packed.content == plain.content


@pytest.mark.parametrize(
    "path",
    [
        f"/api/v1/runs/{RUN}/export?format=parquet", f"/api/v1/runs/{RUN}/export?format=arrow",
        "/api/v1/health", *seldom(f"/runs/{RUN}/charts/throughput.png", f"/runs/{RUN}/charts/throughput.pdf"),
    ],
)  # fmt: skip
def test_other_responses_are_sent_as_they_are(served: Served, path: str) -> None:
    answer, length = fetch(served, path, "gzip")
    assert answer.status_code == 200, answer.text
    assert "content-encoding" not in answer.headers
    assert length == len(answer.content)


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
