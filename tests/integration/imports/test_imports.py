"""Imports over HTTP: stored as a whole or not at all, listed, shown, deleted by their owner."""

import hashlib
import json
from typing import Any

import pytest
from sqlalchemy import func, select

from orchestrator.database.models import Base, Import, ImportedSeries
from orchestrator.results.imports.document import MAX_FILE_BYTES
from orchestrator.results.imports.schemas import NOT_VERIFIED
from tests.support.import_files import PATH, imported, send, text_of
from tests.support.live_service import Served
from tests.unit.imports.test_formats import FILES


def get(served: Served, path: str, **query: Any) -> Any:
    return served.json(f"{PATH}{path}", **query)


def rows(served: Served) -> tuple[int, int]:
    with served.database.read() as session:
        return tuple(session.scalar(select(func.count()).select_from(one)) or 0 for one in (Import, ImportedSeries))  # type: ignore[return-value]


@pytest.mark.parametrize(("name", "format_name"), FILES.items())
def test_file_of_each_tool_is_stored_with_every_figure(fresh: Served, name: str, format_name: str) -> None:
    added = imported(fresh, name)
    assert (added["format"], added["imported"], added["remark"]) == (format_name, True, NOT_VERIFIED)
    assert added["sha256"] == hashlib.sha256(text_of(name).encode()).hexdigest()
    series = get(fresh, f"/{added['id']}/series", limit=500)["items"]
    assert [one["position"] for one in series] == list(range(1, added["series_total"] + 1))
    for one in series:
        detail = get(fresh, f"/{added['id']}/series/{one['position']}")
        assert {key: value for key, value in detail.items() if key not in ("readings", "processes")} == one
        for key in ("n", "mean", "standard_deviation", "minimum", "maximum", "interval", "readings"):
            assert (detail[key] is None) == (key in one["absent_because"]), key
        if detail["readings"] is not None:
            assert len(detail["readings"]) == one["n"]
            assert min(detail["readings"]) == one["minimum"]
            assert max(detail["readings"]) == one["maximum"]


def test_readings_come_back_unchanged(fresh: Served) -> None:
    added = imported(fresh, "pyperf.json")
    benchmark = json.loads(text_of("pyperf.json"))["benchmarks"][1]
    values = [run["values"] for run in benchmark["runs"] if run.get("values")]
    detail = get(fresh, f"/{added['id']}/series/2")
    assert detail["readings"] == [1e9 * value for run in values for value in run]
    assert detail["processes"] == [len(run) for run in values]


def test_list_is_newest_first_in_pages(fresh: Served) -> None:
    ids = [imported(fresh, name)["id"] for name in ("hyperfine.json", "google-benchmark.json", "evalme.json")]
    first = get(fresh, "", limit=2)
    rest = get(fresh, "", limit=2, cursor=first["next_cursor"])
    assert [one["id"] for one in (*first["items"], *rest["items"])] == ids[::-1]
    assert rest["next_cursor"] is None


def test_series_are_searched_and_in_pages(fresh: Served) -> None:
    added = imported(fresh, "hyperfine.json")
    found = get(fresh, f"/{added['id']}/series", q="65536", limit=2)
    rest = get(fresh, f"/{added['id']}/series", q="65536", limit=2, cursor=found["next_cursor"])
    assert [one["quantity"] for one in (*found["items"], *rest["items"])] == [
        "wall time", "user CPU time", "system CPU time",
    ]  # fmt: skip


def test_device_is_the_users_else_the_host_of_the_file(fresh: Served) -> None:
    assert imported(fresh, "pyperf.json")["device"] == "desk"
    assert imported(fresh, "hyperfine.json")["device"] is None
    assert imported(fresh, "google-benchmark.json", device=" Pi 4 ")["device"] == "Pi 4"


def test_same_file_is_refused_with_the_id_of_the_first(fresh: Served) -> None:
    added = imported(fresh, "pyperf.json")
    answer = send(fresh.client("submitter"), "pyperf.json")
    assert (answer.status_code, added["id"] in answer.json()["detail"]) == (409, True)
    assert rows(fresh)[0] == 1


@pytest.mark.parametrize(
    ("content", "other", "message"),
    [
        ("{}", {}, "No known tool writes such a file: it is an empty JSON object."),
        (text_of("hyperfine.json"), {"format": "pyperf"}, "it looks like a file of hyperfine"),
        (text_of("hyperfine.json"), {"device": "a\x1b[31m"}, "The device contains the control character U+001B"),
        ("{" + " " * MAX_FILE_BYTES + "}", {}, "at most 8 MiB are imported"),
    ],
)
def test_refused_file_leaves_nothing(fresh: Served, content: str, other: dict[str, str], message: str) -> None:
    answer = send(fresh.client("submitter"), "file.json", content=content, **other)
    problem = answer.json()
    assert (answer.status_code, message in problem["detail"]) == (422, True), problem
    assert problem["remedy"]
    assert rows(fresh) == (0, 0)


def test_body_beyond_the_limit_is_refused_unread(fresh: Served) -> None:
    answer = send(fresh.client("submitter"), "file.json", content='"' * (MAX_FILE_BYTES + 4096))
    assert answer.status_code == 413
    assert rows(fresh) == (0, 0)


def test_deletion_leaves_no_row(fresh: Served) -> None:
    before = _all_rows(fresh)
    added = imported(fresh, "pyperf.json")["id"]
    assert _all_rows(fresh) != before
    assert fresh.admin.delete(f"{PATH}/{added}", headers=JSON).status_code == 204
    assert _all_rows(fresh) == before


JSON = {"content-type": "application/json"}


def _all_rows(served: Served) -> dict[str, int]:
    with served.database.read() as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table)) or 0
            for table in Base.metadata.sorted_tables
            if table.name not in ("api_tokens", "audit_entries")
        }
