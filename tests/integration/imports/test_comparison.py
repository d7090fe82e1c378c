"""An imported series as a side of a comparison: ratios with every remark, and never a verdict."""

from typing import Any

import httpx
import numpy as np
import pytest
from sqlalchemy import select

from orchestrator.database.models import Case, Execution
from orchestrator.results.imports.schemas import NOT_VERIFIED
from orchestrator.results.measures import MEASURES
from orchestrator.statistics.comparisons.two_sample import compare_samples
from tests.support.database import Shape, fill
from tests.support.import_files import PATH, imported
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served

RUN, CALLS = "first0000001", "calls0000001"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    small: dict[str, Any] = {"algorithms": ("aes-128-ctr",), "kinds": ("text",), "with_curves": False}
    fill(served.database, Shape(run_id=RUN, repetitions=8, **small))
    fill_calls(served.database, CallShape(run_id=CALLS, agent="pi4"))
    return served


@pytest.fixture(scope="module")
def ids(served: Served) -> dict[str, str]:
    names = ("hyperfine.json", "pyperf.json", "google-benchmark-aggregates.json")
    return {name: imported(served, name)["id"] for name in names}


def side(import_id: str, series: int = 1) -> str:
    return f"import:{import_id}/{series}"


def compare(served: Served, *sides: str, **query: Any) -> Any:
    return served.json("/api/v1/comparisons", run=sides, **query)


def refused(served: Served, *sides: str, **query: Any) -> tuple[int, str]:
    answer = served.viewer.get("/api/v1/comparisons", params={"run": sides, **query})
    problem = answer.json()
    return answer.status_code, f"{problem['detail']} {problem.get('remedy', '')}"


class TestRows:
    def test_ratios_are_those_of_two_samples(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, RUN, side(ids["hyperfine.json"]), measure="pass-cpu")
        (part,) = found["parts"]
        assert (found["first"]["imported"], part["other"]["imported"], part["rows_total"]) == (False, True, 6)
        own = served.viewer.get(f"{PATH}/{ids['hyperfine.json']}/series/1").json()["readings"]
        row = part["rows"][0]
        assert (row["n"], row["other_n"], row["other_provider"]) == (8, len(own), "hyperfine")
        expected = compare_samples(np.array(own), np.array(_readings(served, row)))
        assert row["ratio"] == pytest.approx(expected.ratio)
        assert row["interval"]["low"] == pytest.approx(expected.interval and expected.interval.low)

    def test_warning_and_both_scopes_are_named(self, served: Served, ids: dict[str, str]) -> None:
        (part,) = compare(served, CALLS, side(ids["hyperfine.json"]), measure="call")["parts"]
        assert NOT_VERIFIED in part["sentence"]
        assert "No ranking and no verdict follows." in part["sentence"]
        assert part["method"].startswith("One reading of hyperfine: One execution of a command line")
        assert "One reading of the run: time of one warm call" in part["method"]
        assert "has no input length" in part["method"]

    def test_no_row_has_a_verdict(self, served: Served, ids: dict[str, str]) -> None:
        found = compare(served, CALLS, side(ids["pyperf.json"]))
        (part,) = found["parts"]
        verdicts = {(row["verdict"], row["adjusted_p"], row["noise_floor"], row["method"]) for row in part["rows"]}
        assert verdicts == {("undecided", None, None, "imported")}
        assert part["undecided"] == part["rows_total"] == found["first"]["cases"]
        assert (found["comparisons"], part["changes"], part["paired"]) == (0, [], "no")

    def test_figure_without_readings_has_a_ratio_of_figures_and_a_reason(
        self, served: Served, ids: dict[str, str]
    ) -> None:
        (part,) = compare(served, CALLS, side(ids["google-benchmark-aggregates.json"]), measure="call")["parts"]
        row = part["rows"][0]
        assert row["ratio"] == pytest.approx(row["other_value"] / row["value"])
        assert row["interval"] is None
        assert "aggregates_only" in part["method"]


def test_comparison_of_runs_is_the_same_next_to_imports(served: Served, ids: dict[str, str]) -> None:
    parts = (f"{CALLS},toolchain=gcc -O3", f"{CALLS},toolchain=clang -O3")
    alone = compare(served, *parts, measure="call")
    found = compare(served, parts[0], side(ids["pyperf.json"]), parts[1], measure="call")
    own, _ = found["parts"]
    assert {**found, "parts": [own], "measures": []} == {**alone, "measures": []}
    assert {MEASURES[one].unit for one in found["measures"]} == {"ns"}


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "series", "problem"),
        [
            ("google-benchmark-aggregates.json", 4, "No measure of run calls0000001 is in bytes/s"),
            ("google-benchmark-aggregates.json", 3, "(blocks) has no unit in its file"),
            ("pyperf.json", 3, "It has the series 1 to 2"),
        ],
    )
    def test_series(self, served: Served, ids: dict[str, str], name: str, series: int, problem: str) -> None:
        status, text = refused(served, CALLS, side(ids[name], series))
        assert (status in (404, 409), problem in text) == (True, True)

    def test_measure_in_another_unit(self, served: Served, ids: dict[str, str]) -> None:
        status, text = refused(served, CALLS, side(ids["pyperf.json"]), measure="peak-memory")
        assert (status, "cannot be compared by peak-memory" in text) == (422, True)

    @pytest.mark.parametrize(
        ("name", "status"),
        [("import:nothing00000/1", 404), ("import:", 422), ("import:nothing00000", 422), ("import:a/1,agent=pi4", 422)],
    )
    def test_side_that_does_not_exist(self, served: Served, name: str, status: int) -> None:
        assert refused(served, CALLS, name)[0] == status

    def test_imports_alone(self, served: Served, ids: dict[str, str]) -> None:
        status, text = refused(served, side(ids["pyperf.json"]), side(ids["pyperf.json"], 2))
        assert (status, "Imports are compared with a run only." in text) == (422, True)


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
    with served.database.read() as session:
        query = (
            select(Execution.work_cpu_ns)
            .join(Case, Case.id == Execution.case_id)
            .where(Case.run_id == RUN, Case.algorithm == row["algorithm"], Case.provider == row["provider"])
            .where(Case.variant == row["variant"], Case.message_bytes == row["length_bytes"])
            .where(Execution.state == "ok", Execution.purpose == "timing")
        )
        return [float(value) for value in session.scalars(query) if value is not None]
