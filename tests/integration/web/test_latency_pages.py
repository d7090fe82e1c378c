"""Pages of timed calls, toolchains and sizes as a browser without JavaScript receives them, from a filled database."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from orchestrator.database.models import Agent, Build, Case, Execution, Omission
from tests.integration.web.test_pages import HTML
from tests.support import database as filling
from tests.support import latency_results as latency_filling
from tests.support.latency_results import COMPILER_SAID, COUNTERS_REASON, fill_calls, fill_waiting
from tests.support.live_service import Served, words_of
from tests.support.waiting import GENEROUS_SECONDS

RUN = "/runs/calls0000001"


@pytest.fixture(scope="module")
def calls(served: Served) -> Served:
    """A service with a run of timed calls, one that waits for a build, and one of both protocols."""
    fill_calls(served.database, latency_filling.Shape())
    fill_waiting(served.database)
    fill_calls(served.database, latency_filling.Shape(run_id="mixed0000001", name="mixed", agent="both"))
    filling.fill(served.database, filling.Shape(run_id="donor0000001", name="donor", repetitions=2, agents=("both",)))
    _move_cases(served, "donor0000001", "mixed0000001")
    return served


def _move_cases(served: Served, origin: str, target: str) -> None:
    with served.database.write() as session:
        session.execute(update(Case).where(Case.run_id == origin).values(run_id=target, number=Case.number + 5000))
        session.execute(update(Execution).where(Execution.run_id == origin).values(run_id=target))


@pytest.fixture
def browser(calls: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=calls.url, headers=HTML, timeout=GENEROUS_SECONDS, verify=False) as client:
        yield client


def rows(browser: httpx.Client, path: str = RUN, **filters: str) -> list[dict[str, Any]]:
    answer = browser.get(path, params={"format": "json", **filters})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["results"]["rows"])


def agent_path(calls: Served) -> str:
    with calls.database.read() as session:
        return f"/agents/{session.query(Agent).filter_by(name='pi4').one().id}"


def build_path(calls: Served, compiler: str) -> str:
    with calls.database.read() as session:
        builds = session.query(Build).filter_by(compiler_version=f"{compiler} 14.0.6")
        return f"/builds/{builds.order_by(Build.id).first().id}"  # type: ignore[union-attr]


def execution_path(calls: Served, state: str, operation: str = "encrypt") -> str:
    with calls.database.read() as session:
        found = session.query(Execution).join(Case).filter(
            Execution.run_id == "calls0000001", Execution.state == state, Case.operation == operation)  # fmt: skip
        return f"/executions/{found.order_by(Execution.id).first().id}"  # type: ignore[union-attr]


class TestResults:
    def test_fastest_call_is_first_and_skipped_cases_are_last(self, browser: httpx.Client) -> None:
        found = [row["summary"]["median_call_wall_ns"] for row in rows(browser)]
        known = [value for value in found if value is not None]
        assert known == sorted(known)
        assert found[len(known) :] == [None] * (len(found) - len(known))

    def test_column_of_the_other_protocol_is_refused(self, browser: httpx.Client) -> None:
        answer = browser.get(RUN, params={"sort": "encrypt"})
        assert answer.status_code == 422
        assert "provider" in answer.text

    def test_counted_cycles_are_marked_as_counted(self, calls: Served, browser: httpx.Client) -> None:
        with calls.database.write() as session:
            chosen = session.query(Case).filter_by(
                run_id="mixed0000001", operation="decrypt", message_bytes=64, algorithm="tinyjambu-128")  # fmt: skip
            case_id = chosen.order_by(Case.id).first().id  # type: ignore[union-attr]
            for execution in session.query(Execution).filter_by(case_id=case_id):
                execution.readings = {**(execution.readings or {}), "call_cycles": 2001.5}
        typical = browser.get(f"/cases/{case_id}", params={"format": "json"}).json()["typical"]
        assert (typical["cycles"], typical["cycles_basis"]) == (2001.5, "counted")

    def test_derived_cycles_are_marked_with_the_kernels_reason(self, browser: httpx.Client) -> None:
        page = browser.get(RUN).text
        assert re.search(rf'title="Derived:[^"]*{re.escape(COUNTERS_REASON)}">d</abbr>', page)


class TestBothProtocols:
    def test_each_table_contains_the_cases_of_one_protocol(self, browser: httpx.Client) -> None:
        for protocol in ("process", "latency"):
            found = rows(browser, "/runs/mixed0000001", protocol=protocol)
            assert {row["protocol"] for row in found} == {protocol}
        page = browser.get("/runs/mixed0000001").text
        assert "whole chunks (process)" in page
        assert "timed calls (latency)" in page
        assert "timed calls (latency)" not in browser.get(RUN).text  # Its cases are of one protocol.


class TestBuildsOfARun:
    def test_skipped_executions_are_grouped_by_toolchain_with_the_compilers_last_lines(
        self, browser: httpx.Client
    ) -> None:
        [group] = browser.get(RUN, params={"format": "json"}).json()["skipped"]
        cases = 2 * (2 * len(latency_filling.LENGTHS) + 1)
        assert (group["toolchain_words"], group["cases"], group["executions"]) == ("icpx -O3", cases, 6 * cases)
        assert group["detail"] == COMPILER_SAID
        assert "icpx: command not found" in browser.get(RUN).text

    def test_skipped_execution_shows_its_reason_and_no_position(self, calls: Served, browser: httpx.Client) -> None:
        page = browser.get(execution_path(calls, "skipped")).text
        assert ">Skipped<" in page
        assert "icpx: command not found" in page
        assert "position" not in page

    def test_run_with_skipped_cases_only_shows_its_device(self, calls: Served, browser: httpx.Client) -> None:
        # Such a run has no jobs, and the devices were once read from the jobs.
        fill_calls(calls.database, latency_filling.Shape(run_id="skipped00001", agent="pi7", compilers=()))
        view = browser.get("/runs/skipped00001", params={"format": "json"}).json()
        assert [device["agent"]["name"] for device in view["devices"]] == ["pi7"]
        assert all(build["failure"] for build in view["devices"][0]["builds"])

    def test_builds_on_request_show_the_noise_floor_of_the_default_build(self, browser: httpx.Client) -> None:
        # The answer above took the default build's noise floor while this panel showed none.
        [device] = browser.get(RUN, params={"format": "json"}).json()["devices"]
        shown = {row["kind"]: row["toolchain_words"] for row in device["calibrations"]}
        assert shown["noise-floor"] == "gcc -O2"
        assert "gcc -O2" not in [build["toolchain_words"] for build in device["builds"]]
        assert "not calibrated yet" not in browser.get(RUN).text

    def test_waiting_run_names_its_awaited_builds(self, browser: httpx.Client) -> None:
        view = browser.get("/runs/waiting00001", params={"format": "json"}).json()["run"]
        assert (view["activity"]["name"], view["waiting_for_builds"]) == ("building", ["pi4 gcc -Os"])
        for path in ("/runs/waiting00001", "/"):
            assert "Waiting for builds: pi4 gcc -Os" in browser.get(path).text

    def test_omission_of_unknown_size_is_shown(self, calls: Served, browser: httpx.Client) -> None:
        # NULL executions (an agent without a build) once made the whole page fail.
        with calls.database.write() as session:
            session.add(Omission(run_id="waiting00001", reason="pi9 has no runners yet.", executions=None))
        assert "pi9 has no runners yet." in browser.get("/runs/waiting00001").text


class TestExecutionPage:
    def test_timings_are_shown_with_the_reasons_of_absent_values(self, calls: Served, browser: httpx.Client) -> None:
        path = execution_path(calls, "ok")
        page = browser.get(path).text
        assert page.count('<th scope="row" class="n">') == latency_filling.TIMINGS
        assert COUNTERS_REASON in page
        assert "the clock of the core drifted during this timing" in page
        timings = browser.get(path, params={"format": "json"}).json()["timings"]
        assert len(timings["wall_ns"]) == latency_filling.TIMINGS

    def test_call_without_a_compared_output_has_no_digest(self, calls: Served, browser: httpx.Client) -> None:
        page = browser.get(execution_path(calls, "ok", "key-setup")).text
        assert "its operation has none that is compared" in page


class TestBuildPage:
    def test_build_page_shows_commands_and_programs(self, calls: Served, browser: httpx.Client) -> None:
        page = browser.get(build_path(calls, "clang")).text
        assert "clang -std=c++20 -O3" in page
        assert "&lt;source&gt;/src/ciphers" in page
        assert latency_filling.sha256_of("clang") in page

    @pytest.mark.parametrize("sort", ["code", "-code"])
    def test_unknown_sizes_are_last_with_their_reason(self, calls: Served, browser: httpx.Client, sort: str) -> None:
        path = build_path(calls, "gcc")
        found = browser.get(path, params={"format": "json", "sort": sort}).json()["footprints"]
        sizes = [row["code_bytes"] for row in found]
        assert sizes == [*sorted([2303, 2815], reverse=sort == "-code"), None]
        assert "the linker keeps no program of this implementation alone" in browser.get(path).text

    def test_build_has_an_answer_and_an_unknown_one_is_refused(self, calls: Served, browser: httpx.Client) -> None:
        path = build_path(calls, "gcc")
        assert "passed their known answers on these programs" in words_of(browser.get(path))
        assert browser.get(path, params={"provider": "none-such", "format": "json"}).json()["footprints"] == []
        assert browser.get("/builds/999999").status_code == 404


class TestAgentPage:
    def test_open_and_failed_requests_are_listed_apart_from_builds(self, calls: Served, browser: httpx.Client) -> None:
        view = browser.get(agent_path(calls), params={"format": "json"}).json()
        assert {(one["toolchain_words"], one["state"]) for one in view["requests"]} == {
            ("icpx -O3", "failed"),
            ("gcc -Os", "open"),
        }
        assert [build["toolchain_words"] for build in view["builds"]] == ["gcc -O2", "clang -O3", "gcc -O3"]
        assert "icpx: command not found" in browser.get(agent_path(calls)).text


class TestCharts:
    def test_timings_chart_without_timings_is_not_found(self, calls: Served, browser: httpx.Client) -> None:
        spec = browser.get(execution_path(calls, "ok") + "/charts/timings.json").json()
        assert max(len(part["data"]["values"]) for part in spec["layer"]) == 2 * latency_filling.TIMINGS
        answer = browser.get(execution_path(calls, "skipped") + "/charts/timings.json")
        assert answer.status_code == 404
