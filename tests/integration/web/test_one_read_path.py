"""Every page and chart shows the figures that the API returns.

A page or chart without a comparison here fails `test_every_route_has_a_comparison`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import event, select

from orchestrator.agents import liveness
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Execution, SensorReading, now
from orchestrator.results.freshness.repository import count_changes
from orchestrator.shared.units import MIB
from orchestrator.web.charts.response import rows_of
from orchestrator.web.router import router
from tests.support import latency_results
from tests.support.agent_reports import enroll_checked
from tests.support.database import Shape, fill
from tests.support.live_service import Served, routes_of, serve
from tests.support.masked_results import Shape as MaskedShape
from tests.support.masked_results import fill_masked

NOT_COMPARED = {
    **dict.fromkeys(("/login", "/agents/add"), "the form shows no figures"),
    "/static/{name}": "files",
    "/audit": "audit/test_audit_log.py",
    "/runs/{run_id}/traffic": "compared by tests/integration/results/test_traffic.py",
    "/papers/{name}/charts/drawing/{drawing}.{form}": "compared by tests/integration/papers/test_drawings.py",
    **dict.fromkeys(("/watches", "/watches/{watch_id}"), "watches/test_pages.py"),
    "/watches/{watch_id}/charts/history.{form}": "watches/test_pages.py",
    "/plans/new": "the editor (test_plan_editor.py compares its preview)",
    "/shared/{link}": "the page of a run (test_shared_links.py)",
    "/licenses": "the list of packages and their licenses (test_licenses.py)",
    **dict.fromkeys(("/imports", "/imports/{import_id}"), "imports/test_pages.py"),
}
GOOD, TROUBLED, LENGTHS, CALLS, WAITING = "good00000001", "troubled0001", "lengths00001", "calls0000001", "waiting00001"
MASKED = "masked000001"
RUNS = (GOOD, TROUBLED, LENGTHS, CALLS, WAITING, MASKED)
SIDES = (f"{CALLS},toolchain=gcc -O3", f"{CALLS},toolchain=clang -O3")
STATES = ("ok", "wrong", "disputed", "failed", "skipped")

Comparison = Callable[["World"], None]
COMPARISONS: dict[str, Comparison] = {}


@dataclass(frozen=True)
class World:
    """A filled service, read by a client without JavaScript."""

    client: httpx.Client
    database: Database

    def page(self, path: str, **query: Any) -> Any:
        return self._get(path, {**query, "format": "json"})

    def api(self, path: str, **query: Any) -> Any:
        return self._get(f"/api/v1{path}", query)

    def items(self, path: str, **query: Any) -> list[Any]:
        """Return all items of a list of the API."""
        found: list[Any] = []
        cursor: str | None = ""
        while cursor is not None:
            part = self.api(path, **query, **({"cursor": cursor} if cursor else {}))
            found += part["items"]
            cursor = part["next_cursor"]
        return found

    def _get(self, path: str, query: Mapping[str, Any]) -> Any:
        answer = self.client.get(path, params=query)
        assert answer.status_code == httpx.codes.OK, (path, answer.text)
        return answer.json()


def compares(path: str) -> Callable[[Comparison], Comparison]:
    """Register the comparison of a route."""

    def _register(comparison: Comparison) -> Comparison:
        COMPARISONS[path] = comparison
        return comparison

    return _register


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Runs of both protocols on several agents and builds, executions in every state, health and preflight reports."""
    with serve(tmp_path_factory.mktemp("compared")) as served:
        small = {"algorithms": ("aes-128-ctr", "chacha20-256"), "kinds": ("text", "video")}
        two_agents = Shape(run_id=GOOD, repetitions=6, agents=("raspberrypi", "pi5"), **small)  # type: ignore[arg-type]
        fill(served.database, two_agents)
        fill(served.database, Shape(run_id=TROUBLED, repetitions=7, trouble=True, **small))  # type: ignore[arg-type]
        lengths = Shape(run_id=LENGTHS, sizes=(4096, 65536, MIB), repetitions=6, **small)  # type: ignore[arg-type]
        fill(served.database, lengths)
        _dispute_some(served)
        latency_results.fill_calls(served.database, latency_results.Shape(agent="pi4"))
        latency_results.fill_waiting(served.database)
        fill_masked(served.database, MaskedShape(run_id=MASKED, agents=("desk", "shelf"), repetitions=6))
        _report_health(served)
        _keep_live(served)
        with served.client() as client:
            yield World(client, served.database)


def _dispute_some(served: Served) -> None:
    with served.database.write() as session:
        chosen = session.query(Execution).filter_by(run_id=TROUBLED, state="ok").limit(3).all()
        for execution in chosen:
            execution.state = "disputed"
        session.flush()
        count_changes(session, Counter(execution.case_id for execution in chosen), now())


def _report_health(served: Served) -> None:
    agent_id = enroll_checked(served)
    with served.database.write() as session:
        for number in range(5):
            session.add(
                SensorReading(
                    agent_id=agent_id, sensor="temperature_celsius cpu-thermal", unit="celsius",
                    read_at=now(), value=50.0 + number,
                )
            )  # fmt: skip


def _keep_live(served: Served) -> None:
    """Let no live agent fall silent between the two requests of a comparison, however slow the machine is."""
    with served.database.write() as session:
        for agent in session.scalars(select(Agent).where(liveness.live(now()))):
            agent.last_heartbeat_at = now() + timedelta(hours=1)


def page_routes() -> list[str]:
    return sorted({route.path for route in routes_of(router) if "GET" in (route.methods or ())} - set(NOT_COMPARED))


def test_every_route_has_a_comparison() -> None:
    assert page_routes() == sorted(COMPARISONS)


@pytest.mark.parametrize("path", page_routes())
def test_page_shows_the_figures_of_the_api(world: World, path: str) -> None:
    COMPARISONS[path](world)


READINGS = {
    "/": (1, 0),
    "/agents": (1, 0),
    "/builds/1": (1, 0),
    "/plans/new": (4, 0),
    f"/papers/masked-lwc?run={MASKED}": (5, 2),
    f"/runs/{TROUBLED}": (2, 1),
    f"/runs/{CALLS}": (2, 1),
    f"/runs/{CALLS}/answer?measure=call&rank=call-cpu&against=code-size": (2, 1),
    f"/runs/{GOOD}/winner": (2, 1),
    f"/runs/{LENGTHS}/scaling": (2, 1),
    f"/runs/{MASKED}/masking": (2, 1),
    f"/runs/{CALLS}/traffic?lengths=64": (2, 1),
    f"/compare?run={CALLS}": (2, 2),
    f"/compare?run={SIDES[0]}&run={SIDES[1]}": (2, 3),
    "/cases/1": (2, 1),
    "/executions/1": (1, 1),
}
"""Address of a page → its transactions, and how often it reads the row of its run.

The first transaction brings the statistics up to date. The parts of a comparison each read the row of their run.
"""


@pytest.mark.parametrize("address", READINGS)
def test_page_reads_its_run_once(world: World, address: str) -> None:
    world.client.get(address)  # Includes the last changes of the run, if any.
    statements: list[str] = []

    def note(*seen: Any) -> None:
        statements.append(seen[2] if len(seen) > 1 else "begin")

    engine = world.database.engine
    for name in ("begin", "before_cursor_execute"):
        event.listen(engine, name, note)
    try:
        assert world.client.get(address).status_code == httpx.codes.OK
    finally:
        for name in ("begin", "before_cursor_execute"):
            event.remove(engine, name, note)
    begun = statements.count("begin")
    of_run = sum("FROM runs \nWHERE runs.id = " in one for one in statements)
    assert (begun, of_run) == READINGS[address]


def same(shown: Mapping[str, Any], stored: Mapping[str, Any], names: Sequence[str], **renamed: str) -> None:
    """Compare values by name, and by the API's name where the page has another one."""
    for name, of_api in (*((name, name) for name in names), *renamed.items()):
        assert shown[name] == stored[of_api], (name, of_api)


# --- Runs -------------------------------------------------------------------------------------------------------


LIVE_FIGURES = ("seconds_left", "executions_per_second", "input_bytes_per_second")
"""They change between two requests."""


def compare_run_summary(world: World, shown: Mapping[str, Any]) -> None:
    listed = next(run for run in world.items("/runs") if run["id"] == shown["id"])
    assert {**shown, **dict.fromkeys(LIVE_FIGURES)} == {**listed, **dict.fromkeys(LIVE_FIGURES)}
    detail = world.api(f"/runs/{shown['id']}")
    same(shown, detail, ("id", "name", "seed", "finished_at", "state", "activity", "agents", "executions_total"))
    same(shown, detail["progress"], STATES, executions_done="done")
    cases = world.items(f"/runs/{shown['id']}/cases", limit=500)
    assert shown["disturbed"] == sum(case["summary"]["disturbed"] for case in cases if case["summary"])


@compares("/")
def compare_run_list(world: World) -> None:
    view = world.page("/")
    assert [card["id"] for card in view["runs"]] == [run["id"] for run in world.items("/runs")]
    assert {card["id"] for card in view["runs"]} == set(RUNS)
    for card in view["runs"]:
        compare_run_summary(world, card)
    agents = {agent["id"]: agent for agent in world.items("/agents")}
    for agent in view["agents"]:
        assert agent == agents[agent["id"]]


def compare_typical(world: World, typical: Mapping[str, Any]) -> None:
    """Compare the call of a page with the execution that it is read from."""
    execution = world.api(f"/executions/{typical['execution_id']}")
    readings = {reading["name"]: reading["value"] for reading in execution["readings"]}
    cycles = {"counted": "call_cycles", "derived": "derived_call_cycles"}.get(typical["cycles_basis"])
    assert execution["state"] == "ok"
    assert typical["cycles"] == (readings[cycles] if cycles else None)
    assert typical["iterations"] == readings["iterations"]


@compares("/runs/{run_id}")
def compare_run(world: World) -> None:
    for run_id in (GOOD, TROUBLED, CALLS, WAITING, MASKED):
        view = world.page(f"/runs/{run_id}")
        detail = world.api(f"/runs/{run_id}")
        compare_run_summary(world, view["run"])
        assert view["plan"] == detail["plan"]
        assert view["precision"] == detail["precision"]
        assert view["conditions"] == world.items(f"/runs/{run_id}/preflight") or len(view["conditions"]) > 1
        compare_results(world, run_id, view)
        compare_executions_without_result(world, run_id, view)
        compare_devices(world, run_id, view["devices"])
        assert view["omissions"] == world.items(f"/runs/{run_id}/omissions")


def compare_results(world: World, run_id: str, view: Mapping[str, Any]) -> None:
    cases = world.items(f"/runs/{run_id}/cases", limit=500)
    for protocol in view["choices"]["protocols"]:
        of_protocol = [case for case in cases if case["protocol"] == protocol]
        rows: list[Any] = []
        for number in range(1, world.page(f"/runs/{run_id}", protocol=protocol)["results"]["pages"] + 1):
            results = world.page(f"/runs/{run_id}", protocol=protocol, page=number)["results"]
            assert results["total"] == len(of_protocol)
            rows += results["rows"]
        listed = {case["id"]: case for case in of_protocol}
        assert {row["id"]: row for row in rows} == listed
        for typical in results["typical"].values():
            compare_typical(world, typical)
        # A case alone has the figures of the list; one proves it, because each is a request.
        for first in of_protocol[:1]:
            assert listed[first["id"]].items() <= world.api(f"/cases/{first['id']}").items()
    choices = view["choices"]
    shown = [case for case in cases if case["protocol"] == view["results"]["protocol"]]
    assert choices["providers"] == sorted({case["provider"] for case in shown})
    assert choices["lengths_bytes"] == sorted({case["message_bytes"] for case in shown})
    assert view["toolchains"] == sorted({case["toolchain_words"] for case in cases})
    for toolchain in view["toolchains"]:
        narrowed = world.page(f"/runs/{run_id}", toolchain=toolchain)["results"]
        protocol = view["results"]["protocol"]
        listed = world.items(f"/runs/{run_id}/cases", toolchain=toolchain, protocol=protocol, limit=500)
        assert narrowed["total"] == len(listed)


def compare_executions_without_result(world: World, run_id: str, view: Mapping[str, Any]) -> None:
    stored = [
        execution
        for state in ("wrong", "disputed", "failed")
        for execution in world.items(f"/runs/{run_id}/executions", state=state)
    ]
    assert view["troubles"] == stored[:12]
    skipped = world.items(f"/runs/{run_id}/executions", state="skipped", limit=500)
    assert sum(group["executions"] for group in view["skipped"]) == len(skipped)
    assert sum(group["cases"] for group in view["skipped"]) == len({execution["case_id"] for execution in skipped})


def compare_devices(world: World, run_id: str, devices: Sequence[Any]) -> None:
    cases = world.items(f"/runs/{run_id}/cases", limit=500)
    assert {device["agent"]["id"] for device in devices} == {case["agent_id"] for case in cases}
    for device in devices:
        agent = world.api(f"/agents/{device['agent']['id']}")
        same(device["agent"], agent, ("processor", "architecture", "emulated", "device_model"))
        of_run = {case["build_id"] for case in cases if case["agent_id"] == agent["id"]}
        assert {build["id"] for build in device["builds"]} == of_run
        stored = {(one["kind"], one["value"], one["unit"]) for one in agent["calibrations"]}
        assert {(one["kind"], one["value"], one["unit"]) for one in device["calibrations"]} <= stored


@compares("/runs/{run_id}/answer")
def compare_answer(world: World) -> None:
    for run_id, measure in ((GOOD, "encrypt"), (GOOD, "pass"), (TROUBLED, "encrypt"), (CALLS, "call")):
        view = world.page(f"/runs/{run_id}/answer", measure=measure)
        assert view["answer"]["agents"]
        expected = world.api(f"/runs/{run_id}/answer", measure=measure, rows=100)
        assert view["answer"] == expected
    form = {"rank": "call-cpu", "against": "code-size", "call": "encrypt", "only_length": "64 B", "aead": "yes",
            "max_code": "4 KiB", "max_stack": "300", "min_tag": "64", "constant_time": ""}  # fmt: skip
    view = world.page(f"/runs/{CALLS}/answer", measure="call", **form)
    expected = world.api(
        f"/runs/{CALLS}/answer", measure="call-cpu", against="code-size", operation="encrypt", length_bytes=64,
        aead=True, max_code_bytes=4096, max_stack_bytes=300, min_tag_bits=64, rows=100,
    )  # fmt: skip
    assert view["answer"]["agents"][0]["front"]["points"]
    assert view["answer"]["agents"][0]["excluded"]
    assert view["answer"] == expected


@compares("/runs/{run_id}/winner")
def compare_winner(world: World) -> None:
    for run_id in (GOOD, TROUBLED, CALLS, MASKED):
        assert world.page(f"/runs/{run_id}/winner")["answer"] == world.api(f"/runs/{run_id}/answer", rows=100)


@compares("/compare")
def compare_comparison(world: World) -> None:
    assert world.page("/compare", run=CALLS)["comparison"] is None
    for sides in (SIDES, (GOOD, GOOD)):
        view = world.page("/compare", run=sides, measure="")
        assert view["comparison"]["parts"][0]["rows"]
        assert view["comparison"] == world.api("/comparisons", run=sides, rows=200)


@compares("/compare/charts/ratios.{form}")
def compare_ratio_chart(world: World) -> None:
    (part,) = world.api("/comparisons", run=SIDES, rows=60)["parts"]
    drawn = chart_rows(world, "/compare/charts/ratios", run=SIDES)
    for row, one in zip(drawn, part["rows"], strict=True):
        same(row, one | one["interval"], ("ratio", "low", "high", "verdict", "method"))
    names = " ".join(row["case"] for row in chart_rows(world, "/compare/charts/ratios", run=[CALLS, CALLS]))
    assert "key setup" in names
    assert "key setup 0 B" not in names  # Not in the table either.


@compares("/runs/{run_id}/scaling")
def compare_scaling(world: World) -> None:
    for run_id, measure in ((LENGTHS, "pass"), (LENGTHS, "encrypt"), (CALLS, "call")):
        view = world.page(f"/runs/{run_id}/scaling", measure=measure)
        rows = world.api(f"/runs/{run_id}/scaling", measure=measure)["rows"]
        assert any(row["points"] for row in rows)
        assert sorted(view["scaling"]["rows"], key=str) == sorted(rows, key=str)


@compares("/runs/{run_id}/masking")
def compare_masking(world: World) -> None:
    for query in ({}, {"shares": 2, "generator": "free"}):
        view = world.page(f"/runs/{MASKED}/masking", **query)
        expected = world.api(f"/runs/{MASKED}/masking", **query)
        assert expected["tables"]
        assert view["masking"] == expected


# --- Papers -----------------------------------------------------------------------------------------------------


@compares("/papers")
def compare_paper_list(world: World) -> None:
    assert world.page("/papers")["papers"] == world.api("/papers")


@compares("/papers/{name}")
def compare_paper(world: World) -> None:
    for name, run_id in (("masked-lwc", MASKED), ("evalme-2021", GOOD)):
        assert world.page(f"/papers/{name}")["found"] == []
        view = world.page(f"/papers/{name}", run=run_id)
        assert view["found"] == [world.api(f"/papers/{name}/verdicts", run=run_id)]
        assert view["found"][0]["agents"]
        assert view["paper"] == world.api(f"/papers/{name}")
    view = world.page("/papers/masked-lwc", run=[MASKED, CALLS])
    assert view["side_by_side"] == world.api("/papers/masked-lwc/side-by-side", run=[MASKED, CALLS])


@compares("/papers/{name}/charts/published.{form}")
def compare_published_chart(world: World) -> None:
    agent = world.api("/papers/masked-lwc/verdicts", run=MASKED)["agents"][-1]
    figures = [one for one in agent["figures"] if one["measured"] is not None]
    rows = chart_rows(world, "/papers/masked-lwc/charts/published", run=MASKED, agent=agent["agent_id"])
    for source in ("published", "measured"):
        drawn = [(row["label"], row["value"]) for row in rows if row["source"] == source]
        assert sorted(drawn) == sorted((one["label"], one[source]) for one in figures)


# --- Cases and executions ---------------------------------------------------------------------------------------


@compares("/cases/{case_id}")
def compare_case_page(world: World) -> None:
    for run_id in (TROUBLED, CALLS):
        for case in world.items(f"/runs/{run_id}/cases", limit=500)[::7]:
            view = world.page(f"/cases/{case['id']}")
            assert view["case"] == world.api(f"/cases/{case['id']}")
            if view["typical"]:
                compare_typical(world, view["typical"])
            stored = {one["id"]: one for one in world.items(f"/runs/{run_id}/executions", case_id=case["id"])}
            assert {row["id"]: row for row in view["executions"]} == stored
            if case["summary"]:
                assert len(view["outliers"]) == case["summary"]["outliers"]
            if view["curve_execution_id"]:
                assert world.api(f"/executions/{view['curve_execution_id']}/curve")["rss_bytes"]


@compares("/executions/{execution_id}")
def compare_execution(world: World) -> None:
    for run_id, states in ((TROUBLED, ("wrong", "disputed", "failed", "ok")), (CALLS, ("ok", "skipped"))):
        for state in states:
            execution = world.api(f"/runs/{run_id}/executions", state=state)["items"][0]
            view = world.page(f"/executions/{execution['id']}")
            detail = world.api(f"/executions/{execution['id']}")
            assert view["detail"] == detail
            assert view["case"] == world.api(f"/cases/{detail['case_id']}")
            if detail["work_wall_ns"]:
                assert sum(phase["wall_ns"] for phase in view["phases"]) == detail["work_wall_ns"]
            if detail["has_timings"]:
                assert view["timings"] == world.api(f"/executions/{execution['id']}/timings")


# --- Agents and builds ------------------------------------------------------------------------------------------


@compares("/agents")
def compare_agent_list(world: World) -> None:
    shown = {agent["id"]: agent for agent in world.page("/agents")["agents"]}
    assert shown == {agent["id"]: agent for agent in world.items("/agents")}


@compares("/agents/{agent_id}")
def compare_agent(world: World) -> None:
    for listed in world.items("/agents"):
        agent_id = listed["id"]
        view, agent = world.page(f"/agents/{agent_id}"), world.api(f"/agents/{agent_id}")
        assert view["agent"].items() <= agent.items()
        usable = {one["id"]: one for one in agent["builds"] if one["failure"] is None}
        assert {one["id"] for one in view["builds"]} == usable.keys()
        for shown in view["builds"]:
            assert shown.items() <= world.api(f"/builds/{shown['id']}").items()
            assert len(view["failed_proofs"][str(shown["id"])]) == shown["proofs_failed"]
            sized = len(world.api(f"/builds/{shown['id']}/footprints"))
            assert view["footprints"].get(str(shown["id"]), 0) == sized
        requests = world.items("/build-requests", agent_id=agent_id)
        unmet = {one["id"]: one for one in requests if one["state"] != "ready"}
        assert {one["id"]: one for one in view["requests"]} == unmet
        assert view["checks"] == world.items(f"/agents/{agent_id}/health-checks")[:10]
        readings = {one["sensor"]: one["value"] for one in world.items(f"/agents/{agent_id}/sensor-readings")}
        assert [sensor["value"] for sensor in view["sensors"]] == list(readings.values())
        report = world.client.get(f"/api/v1/agents/{agent_id}/preflight")
        assert view["preflight"] == (report.json() if report.status_code == httpx.codes.OK else None)
        for card in view["runs"][:1]:  # Those of the list of runs are all compared.
            compare_run_summary(world, card)


@compares("/builds/{build_id}")
def compare_build(world: World) -> None:
    for listed in world.items("/builds"):
        view, stored = world.page(f"/builds/{listed['id']}"), world.api(f"/builds/{listed['id']}")
        assert view["build"] == stored
        footprints = world.api(f"/builds/{listed['id']}/footprints")
        assert sorted(view["footprints"], key=str) == sorted(footprints, key=str)
        assert view["proofs"] == world.api(f"/builds/{listed['id']}/proofs")


# --- Charts -----------------------------------------------------------------------------------------------------


def chart_rows(world: World, path: str, **query: Any) -> list[Any]:
    """Return the data that a chart's specification contains."""
    spec = world.client.get(f"{path}.json", params=query).json()
    rows = list(rows_of(spec))
    assert rows, path
    return rows


@compares("/runs/{run_id}/charts/throughput.{form}")
def compare_throughput_chart(world: World) -> None:
    agent_id = world.page(f"/runs/{GOOD}")["charts"]["agent_id"]
    for query in ({"measure": "encrypt"}, {"measure": "pass"}, {"measure": "encrypt", "kind": "text"}):
        rows = chart_rows(world, f"/runs/{GOOD}/charts/throughput", agent=agent_id, **query)
        points = world.api(f"/runs/{GOOD}/throughput", **query)["points"]
        expected = [point["throughput_bytes_per_second"] for point in points if point["agent_id"] == agent_id]
        assert sorted(row["value"] * MIB for row in rows) == pytest.approx(sorted(expected))


@compares("/runs/{run_id}/charts/relative.{form}")
def compare_relative_chart(world: World) -> None:
    points = world.api(f"/runs/{TROUBLED}/throughput")["points"]
    rows = chart_rows(world, f"/runs/{TROUBLED}/charts/relative")
    assert sorted(row["value"] for row in rows) == sorted(point["of_fastest"]["ratio"] for point in points)


@compares("/runs/{run_id}/charts/latency.{form}")
def compare_latency_chart(world: World) -> None:
    points = [point for point in world.api(f"/runs/{CALLS}/latency")["points"] if point["length_bytes"]]
    rows = chart_rows(world, f"/runs/{CALLS}/charts/latency")
    assert sorted(row["value"] for row in rows) == sorted(point["call_wall_ns"] for point in points)


@compares("/runs/{run_id}/charts/toolchains.{form}")
def compare_toolchain_chart(world: World) -> None:
    points = [point for point in world.api(f"/runs/{CALLS}/latency")["points"] if point["length_bytes"]]
    rows = chart_rows(world, f"/runs/{CALLS}/charts/toolchains")
    assert sorted(row["value"] for row in rows) == sorted(point["of_base"]["ratio"] for point in points)
    assert {row["reference"] for row in rows} == {"gcc -O3"}


@compares("/runs/{run_id}/charts/front.{form}")
def compare_front_chart(world: World) -> None:
    for query in ({"against": "code-size"}, {"against": "code-size", "algorithm": "tinyjambu-256"}):
        front = world.api(f"/runs/{CALLS}/answer", **query)["agents"][0]["front"]
        ranked = {"ranked": query["algorithm"]} if "algorithm" in query else {}
        rows = chart_rows(world, f"/runs/{CALLS}/charts/front", **ranked)
        for name, of_api in (("value", "value"), ("size", "against_value"), ("on_front", "on_front")):
            assert sorted(row[name] for row in rows) == sorted(point[of_api] for point in front["points"])
    # Without code sizes, peak memory.
    front = world.api(f"/runs/{TROUBLED}/answer", against="peak-memory")["agents"][0]["front"]
    rows = chart_rows(world, f"/runs/{TROUBLED}/charts/front")
    assert sorted(row["size"] for row in rows) == sorted(point["against_value"] for point in front["points"])


@compares("/runs/{run_id}/charts/lengths.{form}")
def compare_lengths_chart(world: World) -> None:
    points = world.api(f"/runs/{LENGTHS}/throughput", measure="decrypt")["points"]
    rows = chart_rows(world, f"/runs/{LENGTHS}/charts/lengths", rank="decrypt")
    expected = sorted(point["throughput_bytes_per_second"] for point in points)
    assert sorted(row["value"] * MIB for row in rows) == pytest.approx(expected)
    inputs = world.api(f"/runs/{CALLS}/answer")["agents"][0]["inputs"]
    points = world.api(f"/runs/{CALLS}/latency")["points"]
    expected = sorted(
        point["call_wall_ns"]
        for point in points
        if point["operation"] == "encrypt" and point["key_setup"] in inputs["key_setups"] and point["length_bytes"]
    )
    assert sorted(row["value"] for row in chart_rows(world, f"/runs/{CALLS}/charts/lengths")) == expected


@compares("/runs/{run_id}/charts/scaling.{form}")
def compare_scaling_chart(world: World) -> None:
    points = [point for row in world.api(f"/runs/{LENGTHS}/scaling")["rows"] for point in row["points"]]
    rows = chart_rows(world, f"/runs/{LENGTHS}/charts/scaling")
    assert sorted(row["time_ns"] for row in rows) == sorted(point["time_ns"] for point in points)
    assert sorted(row["line_ns"] for row in rows) == sorted(point["line_ns"] for point in points)


@compares("/executions/{execution_id}/charts/timings.{form}")
def compare_timings_chart(world: World) -> None:
    execution = world.api(f"/runs/{CALLS}/executions", state="ok")["items"][0]
    timings = world.api(f"/executions/{execution['id']}/timings")
    expected = [ns / calls for ns, calls in zip(timings["wall_ns"], timings["iterations"], strict=True)]
    rows = chart_rows(world, f"/executions/{execution['id']}/charts/timings")
    assert [row["call_ns"] for row in rows if row.get("clock") == "wall"] == expected


@compares("/executions/{execution_id}/charts/memory.{form}")
def compare_memory_chart(world: World) -> None:
    execution = world.api(f"/runs/{TROUBLED}/executions", state="ok")["items"][0]
    curve = world.api(f"/executions/{execution['id']}/curve")
    rows = chart_rows(world, f"/executions/{execution['id']}/charts/memory")
    samples = [row["rss_mib"] * MIB for row in rows if "rss_mib" in row and "at_ms" in row]
    assert samples[: len(curve["rss_bytes"])] == pytest.approx(curve["rss_bytes"])


def checked_agent(world: World) -> str:
    return str(next(agent["id"] for agent in world.items("/agents") if agent["name"] == "checked"))


@compares("/agents/{agent_id}/charts/health.{form}")
def compare_health_chart(world: World) -> None:
    agent_id = checked_agent(world)
    checks = world.items(f"/agents/{agent_id}/health-checks")
    rows = chart_rows(world, f"/agents/{agent_id}/charts/health")
    times = [row["value"] * 1e6 for row in rows if row["panel"].startswith("Control workload")]
    assert times == [check["control"]["median_work_wall_ns"] for check in reversed(checks)]


@compares("/agents/{agent_id}/charts/sensors.{form}")
def compare_sensor_chart(world: World) -> None:
    agent_id = checked_agent(world)
    readings = world.items(f"/agents/{agent_id}/sensor-readings")
    rows = chart_rows(world, f"/agents/{agent_id}/charts/sensors")
    assert [row["value"] for row in rows] == [reading["value"] for reading in readings]
