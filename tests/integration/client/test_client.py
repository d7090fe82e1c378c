"""Runs and results as data frames, from a service with filled runs; the notebook of the documentation is executed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest

from orchestrator.cli.notebooks import Client, connect
from orchestrator.shared.errors import InvalidRequest, NotFound, Unauthorized
from tests.support.latency_results import Shape, fill_calls
from tests.support.live_service import Served, serve
from tests.support.paths import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "docs/notebooks").glob("*.ipynb"))
SHAPE = Shape(run_id="apart0000001", agent="pi5", key_setup="apart", repetitions=8)
CASES = 3 * 2 * 9


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_calls(served.database, Shape(run_id="calls0000001", name="older", agent="pi4"))
    fill_calls(served.database, SHAPE)
    return served


@pytest.fixture(scope="module")
def token(served: Served) -> str:
    return served.token("viewer")


@pytest.fixture
def client(served: Served, token: str) -> Iterator[Client]:
    with connect(served.url, token) as connected:
        yield connected


def test_runs_are_rows_newest_first(client: Client) -> None:
    runs = client.runs()
    assert list(runs["id"]) == ["apart0000001", "calls0000001"]
    assert isinstance(runs["submitted_at"].dtype, pandas.DatetimeTZDtype)
    assert list(client.runs(q="older")["name"]) == ["older"]
    assert len(client.runs(limit=1)) == 1


def test_results_have_a_row_for_each_case_with_its_interval(client: Client) -> None:
    results = client.results(SHAPE.run_id)
    assert len(results) == CASES
    measured = results[results["ok"] > 0]
    assert (measured["low_call_wall_ns"] <= measured["median_call_wall_ns"]).all()
    assert set(results["algorithm"]) == {"tinyjambu-128", "tinyjambu-256"}
    # The toolchain that failed measured nothing: absent, not 0.
    assert results[results["ok"] == 0]["median_call_wall_ns"].isna().all()


def test_executions_keep_integers_and_chosen_columns(client: Client) -> None:
    whole = client.executions(SHAPE.run_id)
    assert len(whole) == CASES * SHAPE.repetitions
    assert str(whole["peak_rss_bytes"].dtype) == "Int64"
    columns = ["algorithm", "call_wall_ns"]
    chosen = client.executions(SHAPE.run_id, columns)
    assert list(chosen.columns) == columns
    assert chosen["call_wall_ns"].isna().sum() == (whole["state"] == "skipped").sum()
    with pytest.raises(InvalidRequest, match="no column 'call_wall'"):
        client.executions(SHAPE.run_id, ["call_wall"])


def test_answer_and_traffic_are_rankings_with_their_sentences(client: Client) -> None:
    answer = client.answer(measure="call", aead=True)
    assert list(answer["rank"].dropna()) == [1, 2, 3, 4]
    assert answer.attrs["sentences"]["pi5"].startswith("On pi5")
    cost = client.traffic({64: 9, 1024: 1}, key_changes=2)
    assert cost.equals(client.traffic("64:9, 1 KiB:1", key_changes=2))
    ranked = cost.dropna(subset=["rank"])
    assert (ranked["interval_low"] <= ranked["cost_ns"]).all()
    with pytest.raises(InvalidRequest, match="the count -1"):
        client.traffic("64:-1")


def test_errors_are_those_of_the_service(client: Client, served: Served) -> None:
    with pytest.raises(NotFound):
        client.results("nosuchrun000")
    with connect(served.url, "cm_wrong") as wrong, pytest.raises(Unauthorized):
        wrong.runs()


def test_service_without_runs_has_no_latest_one(tmp_path: Path) -> None:
    with serve(tmp_path / "data") as empty, connect(empty.url) as connected:
        assert len(connected.runs()) == 0
        with pytest.raises(NotFound, match="There is no run yet"):
            connected.results()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_is_executed(
    path: Path, served: Served, token: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CIPHERMARK_URL", served.url)
    monkeypatch.setenv("CIPHERMARK_TOKEN", token)
    names: dict[str, object] = {}
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells
    for cell in cells:
        assert cell["outputs"] == []
        exec(compile("".join(cell["source"]), f"{path.name} {cell['id']}", "exec"), names)
    assert "On pi5" in capsys.readouterr().out


def test_every_notebook_is_found() -> None:
    assert NOTEBOOKS
