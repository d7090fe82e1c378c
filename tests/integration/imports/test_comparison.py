"""An imported series next to a run or another import: ratios with every remark, and never a ranking."""

from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
from sqlalchemy import select

from orchestrator.database.models import Case, Execution
from orchestrator.results.imports.schemas import NOT_VERIFIED
from orchestrator.statistics.comparisons.two_sample import compare_samples
from tests.support.database import Shape, fill
from tests.support.import_files import PATH, imported
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served, serve

RUN, CALLS, SHORT = "first0000001", "calls0000001", "short0000001"
RANKING_WORDS = ("rank", "verdict", "better", "worse", "winner")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("imports") / "data") as running:
        small: dict[str, Any] = {"algorithms": ("aes-128-ctr",), "kinds": ("text",), "with_curves": False}
        fill(running.database, Shape(run_id=RUN, repetitions=8, **small))
        fill(running.database, Shape(run_id=SHORT, repetitions=3, **small))
        fill_calls(running.database, CallShape(run_id=CALLS, agent="pi4"))
        yield running


@pytest.fixture(scope="module")
def ids(served: Served) -> dict[str, str]:
    names = ("hyperfine.json", "pyperf.json", "google-benchmark-aggregates.json", "evalme.json")
    return {name: imported(served, name)["id"] for name in names}


def compare(served: Served, import_id: str, other: str, **query: Any) -> Any:
    answer = served.viewer.get(f"{PATH}/{import_id}/comparison", params={"with": other, **query})
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(served: Served, import_id: str, other: str, **query: Any) -> tuple[int, str]:
    answer = served.viewer.get(f"{PATH}/{import_id}/comparison", params={"with": other, **query})
    problem = answer.json()
    return answer.status_code, f"{problem['detail']} {problem.get('remedy', '')}"


class TestRun:
    def test_ratios_are_those_of_two_samples(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, ids["hyperfine.json"], RUN, measure="pass-cpu")
        assert (found["other"]["kind"], found["rows_total"]) == ("run", 6)
        own = served.viewer.get(f"{PATH}/{ids['hyperfine.json']}/series/1").json()["readings"]
        row = found["rows"][0]
        assert not row["imported"]
        assert row["n"] == 8
        readings = _readings(served, row)
        expected = compare_samples(np.array(readings), np.array(own))
        assert row["ratio"] == pytest.approx(expected.ratio)
        assert row["interval"]["low"] == pytest.approx(expected.interval and expected.interval.low)

    def test_warning_and_both_scopes_come_first(self, served: Served, ids: dict[str, str]) -> None:
        remarks = compare(served, ids["hyperfine.json"], CALLS, measure="call")["remarks"]
        assert remarks[0] == NOT_VERIFIED
        assert remarks[1].startswith("One reading of hyperfine: One execution of a command line")
        assert remarks[2].startswith("One reading of the other side: Time of one warm call")
        assert any("has no input length" in one for one in remarks)

    def test_nothing_is_ranked_and_rows_are_in_the_order_of_names(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, ids["pyperf.json"], CALLS)
        names = [(row["name"], row["length_bytes"]) for row in found["rows"]]
        assert names == sorted(names)
        assert not [key for key in _keys(found) if any(word in key for word in RANKING_WORDS)]

    def test_few_readings_have_no_interval_but_a_reason(self, served: Served, ids: dict[str, str]) -> None:
        row = compare(served, ids["hyperfine.json"], SHORT, measure="pass-cpu")["rows"][0]
        assert (row["n"], row["interval"]) == (3, None)
        assert "6 readings" in row["absent_because"]["interval"]

    def test_figure_without_readings_has_a_ratio_of_figures(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, ids["google-benchmark-aggregates.json"], CALLS, measure="call")
        row = found["rows"][0]
        assert row["ratio"] == pytest.approx(row["value"] / found["series"]["value"])
        assert "aggregates_only" in row["absent_because"]["interval"]

    def test_text_selects_rows(self, served: Served, ids: dict[str, str]) -> None:
        every = compare(served, ids["pyperf.json"], CALLS)
        some = compare(served, ids["pyperf.json"], CALLS, q="clang")
        assert 0 < some["rows_total"] < every["rows_total"]
        assert all("clang" in " ".join(row["details"]) for row in some["rows"])

    def test_part_of_a_run_is_a_side(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, ids["pyperf.json"], f"{CALLS},toolchain=gcc -O3")
        assert all("gcc -O3" in row["details"] for row in found["rows"])


class TestImport:
    def test_series_of_another_import_in_the_same_unit_are_rows(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, ids["hyperfine.json"], f"import:{ids['evalme.json']}")
        assert {row["imported"] for row in found["rows"]} == {True}
        assert found["rows_total"] == 3
        assert "nothing of either side was verified" in found["remarks"][-1]

    def test_other_series_of_the_same_import_are_rows(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, ids["pyperf.json"], f"import:{ids['pyperf.json']}")
        assert [row["name"] for row in found["rows"]] == ["sha256-1024"]


class TestRefusals:
    def test_units_that_differ(self, served: Served, ids: dict[str, str]) -> None:
        speeds = ids["google-benchmark-aggregates.json"]
        status, text = refused(served, speeds, CALLS, series=4)
        assert (status, "is in bytes/s, and run calls0000001 has no measure" in text) == (409, True)
        status, text = refused(served, speeds, f"import:{ids['pyperf.json']}", series=4)
        assert (status, "has no other series in bytes/s" in text) == (409, True)
        status, text = refused(served, ids["pyperf.json"], CALLS, measure="peak-memory")
        assert (status, "peak-memory of the run is not in ns" in text) == (422, True)

    def test_series_without_a_unit(self, served: Served, ids: dict[str, str]) -> None:
        status, text = refused(served, ids["google-benchmark-aggregates.json"], CALLS, series=3)
        assert (status, "(blocks) has no unit in its file" in text) == (409, True)

    @pytest.mark.parametrize("other", ["nothing00000", "import:nothing00000"])
    def test_side_that_does_not_exist(self, served: Served, ids: dict[str, str], other: str) -> None:
        assert refused(served, ids["pyperf.json"], other)[0] == 404

    def test_series_that_does_not_exist(self, served: Served, ids: dict[str, str]) -> None:
        status, text = refused(served, ids["pyperf.json"], CALLS, series=3)
        assert (status, "It has the series 1 to 2" in text) == (404, True)

    def test_text_that_nothing_contains(self, served: Served, ids: dict[str, str]) -> None:
        assert refused(served, ids["pyperf.json"], CALLS, q="rsa")[0] == 409


def test_answers_papers_and_comparisons_are_the_same_with_and_without_imports(served: Served) -> None:
    paths = (f"/api/v1/runs/{RUN}/answer", f"/api/v1/runs/{CALLS}/answer", "/api/v1/papers")

    def shown(client: httpx.Client) -> list[Any]:
        # The reason why a run waits may change between the requests, because the filled agent falls silent.
        runs = [(run["id"], run["state"], run["ok"]) for run in client.get("/api/v1/runs").json()["items"]]
        return [*(client.get(path).json() for path in paths), runs]

    with served.client("admin") as client:
        before = shown(client)
        added = imported(served, "google-benchmark.json")["id"]
        assert shown(client) == before
        refusal = client.get("/api/v1/comparisons", params={"run": [RUN, added]})
        assert refusal.status_code == 404


def _readings(served: Served, row: Any) -> list[float]:
    """Return the CPU times of the passes of a row's case, in the order of its repetitions."""
    algorithm, _, provider, variant = row["name"].split(" ")
    with served.database.read() as session:
        query = (
            select(Execution.work_cpu_ns)
            .join(Case, Case.id == Execution.case_id)
            .where(Case.run_id == RUN, Case.algorithm == algorithm, Case.provider == provider)
            .where(Case.variant == variant, Case.message_bytes == row["length_bytes"])
            .where(Execution.state == "ok", Execution.purpose == "timing")
        )
        return [float(value) for value in session.scalars(query) if value is not None]


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for one in value.values() for key in _keys(one)}
    return {key for one in value for key in _keys(one)} if isinstance(value, list) else set()
