"""The API reference: complete, served by the service alone, and readable by those who may read pages."""

import re
from pathlib import Path

import httpx

from tests.support.live_service import Served, serve


def test_document_has_a_short_address(filled: Served) -> None:
    with filled.client() as client:
        assert client.get("/openapi.json").json() == client.get("/api/v1/openapi.json").json()


def test_every_operation_and_schema_is_on_the_page(filled: Served) -> None:
    with filled.client() as client:
        document = client.get("/openapi.json").json()
        text = client.get("/docs", headers={"Accept": "text/html"}).text
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"<code>{method.upper()} {path}</code>" in text
    for name in document["components"]["schemas"]:
        assert f'id="schema-{name}"' in text


def test_links_lead_to_places_of_the_page_and_nothing_comes_from_elsewhere(filled: Served) -> None:
    with filled.client() as client:
        text = client.get("/docs", headers={"Accept": "text/html"}).text
    places = set(re.findall(r'id="([^"]+)"', text))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= places
    assert re.findall(r'(?:src|href)="(?:https?:)?//', text) == []


def test_reference_requires_a_viewer_where_other_pages_do(tmp_path: Path) -> None:
    with (
        serve(tmp_path, host="0.0.0.0", insecure_lan=True) as listening,
        listening.client() as anonymous,
        listening.client("viewer") as viewer,
    ):
        for path in ("/agents", "/docs", "/openapi.json"):
            assert anonymous.get(path).status_code == httpx.codes.UNAUTHORIZED
            assert viewer.get(path).status_code == httpx.codes.OK
