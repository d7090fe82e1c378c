"""Pages of imports show the figures of the API, are marked, and escape what a file contains."""

import json
from typing import Any

import httpx
import pytest

from orchestrator.results.imports.schemas import NOT_VERIFIED
from tests.support.import_files import PATH, imported
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served

CALLS = "calls0000001"
MARKUP = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_calls(served.database, CallShape(run_id=CALLS, agent="pi4"))
    for name in ("pyperf.json", "google-benchmark.json", "hyperfine.json"):
        imported(served, name)
    hostile = {"results": [{"command": MARKUP, "mean": 1.0, "stddev": None, "times": [1.0], "exit_codes": [0]}]}
    imported(served, f"{MARKUP}.json", content=json.dumps(hostile), device=MARKUP)
    return served


def answer_to(served: Served, media_type: str, path: str, query: dict[str, Any]) -> httpx.Response:
    answer = served.viewer.get(path, params=query, headers={"accept": media_type})
    assert answer.status_code == 200, answer.text
    return answer


def get(served: Served, path: str, **query: Any) -> Any:
    return answer_to(served, "application/json", path, query).json()


def text_of(served: Served, path: str, **query: Any) -> str:
    return answer_to(served, "text/html", path, query).text


def test_list_shows_the_imports_of_the_api(served: Served) -> None:
    view = get(served, "/imports")
    assert view["imports"] == get(served, PATH)["items"]
    assert view["formats"] == get(served, "/api/v1/import-formats")


def test_every_import_shows_its_series(served: Served) -> None:
    for one in get(served, PATH)["items"]:
        view = get(served, f"/imports/{one['id']}")
        assert view["found"] == get(served, f"{PATH}/{one['id']}")
        assert view["series"] == get(served, f"{PATH}/{one['id']}/series")["items"]
        assert view["total"] == one["series_total"] == len(view["series"])
        text = text_of(served, f"/imports/{one['id']}")
        assert NOT_VERIFIED in text
        assert text.count('class="state imported"') >= 1


def test_comparison_is_that_of_the_api(served: Served) -> None:
    import_id = next(one["id"] for one in get(served, PATH)["items"] if one["format"] == "pyperf")
    name = f"import:{import_id}/1"
    query = {"run": [name, CALLS], "measure": "call"}
    view = get(served, "/compare", **query)
    assert view["comparison"] == get(served, "/api/v1/comparisons", **query, rows=200)
    assert (view["sides"], [one["imported"] for one in view["forms"][:2]]) == ([CALLS, name], [False, True])
    text = text_of(served, "/compare", **query)
    assert text.index(NOT_VERIFIED) < text.index("<h2>Cases")
    assert text.count('class="state imported"') == view["comparison"]["parts"][0]["rows_total"]
    assert "<h2>Changes" not in text


def test_series_of_an_import_leads_to_the_choice_of_a_run(served: Served) -> None:
    import_id = get(served, PATH)["items"][0]["id"]
    assert f'href="/compare?run=import:{import_id}/1"' in text_of(served, f"/imports/{import_id}")
    view = get(served, "/compare", run=f"import:{import_id}/1")
    assert (view["comparison"], [one and one["imported"] for one in view["forms"]]) == (None, [None, True])


def test_texts_of_a_file_are_no_code(served: Served) -> None:
    hostile = next(one["id"] for one in get(served, PATH)["items"] if one["device"] == MARKUP)
    sides = [CALLS, f"import:{hostile}/1"]
    for path, query in (("/imports", {}), (f"/imports/{hostile}", {}), ("/compare", {"run": sides, "measure": "call"})):
        text = text_of(served, path, **query)
        assert MARKUP not in text
        assert "&lt;script&gt;" in text


def test_only_who_may_import_gets_the_form(served: Served) -> None:
    assert "data-import=" not in text_of(served, "/imports")
    assert "data-import=" in served.client("submitter").get("/imports", headers={"accept": "text/html"}).text
