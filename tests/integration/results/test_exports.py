"""Exports with types and metadata, and of chosen columns, over HTTP from a filled database."""

import io
import json
from collections.abc import Callable
from datetime import datetime

import pyarrow
import pytest
from pyarrow import feather, parquet

from orchestrator.results.export import rows as export
from orchestrator.results.export.facts import column_facts
from tests.support.database import Shape, fill
from tests.support.exported import rows_of_json_lines
from tests.support.live_service import Served

pytestmark = pytest.mark.untraced

SHAPE = Shape(trouble=True, algorithms=("aes-128-ctr", "chacha20-256"), repetitions=8)
EXECUTIONS = 2 * 3 * 8 * 8


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, SHAPE)
    return served


def test_every_column_has_its_type_and_meaning() -> None:
    facts = column_facts()
    assert [name for name in export.columns() if name not in facts] == []
    assert [name for name in export.columns() if not facts[name].help] == []


@pytest.mark.parametrize(("name", "read"), [("parquet", parquet.read_table), ("arrow", feather.read_table)])
def test_parquet_and_arrow_equal_the_json_lines(
    served: Served, name: str, read: Callable[[io.BytesIO], pyarrow.Table]
) -> None:
    table = read(io.BytesIO(served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/export?format={name}").content))
    lines = rows_of_json_lines(served.viewer.get(f"/api/v1/runs/{SHAPE.run_id}/export?format=jsonl").text)
    assert table.schema.field("work_wall_ns").metadata[b"unit"] == b"ns"
    for row, expected in zip(table.to_pylist(), lines, strict=True):
        reasons, started_at = expected.pop("absent_because"), expected.pop("started_at")
        assert json.loads(row.pop("absent_because") or "{}") == reasons
        assert row.pop("started_at") == (started_at and datetime.fromisoformat(started_at))
        assert row == expected


def test_equal_reasons_are_in_a_text_file_once(served: Served) -> None:
    path = f"/api/v1/runs/{SHAPE.run_id}/export"
    texts = [served.viewer.get(path, params={"format": form}).text for form in ("csv", "jsonl")]
    for text in texts:
        assert text.count("this machine has no cpufreq") < 20 < EXECUTIONS


def test_columns_are_chosen_in_their_order(served: Served) -> None:
    path = f"/api/v1/runs/{SHAPE.run_id}/export"
    chosen = {"column": ["algorithm", "work_wall_ns", "execution_id"]}
    text = served.viewer.get(path, params={**chosen, "format": "csv"}).text
    latex = served.viewer.get(path, params={**chosen, "format": "tex"}).text
    problem = served.viewer.get(path, params={"column": "algorithms"})
    assert text.splitlines()[0] == "algorithm,work_wall_ns,execution_id"
    assert r"\begin{longtable}{l S S}" in latex
    assert len(text.splitlines()) == 1 + EXECUTIONS
    assert (problem.status_code, problem.json()["field"]) == (422, "column")
    assert "algorithm" in problem.json()["remedy"]
