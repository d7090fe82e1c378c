"""Requests for builds: sent while a run waits, settled once and only by their agent; footprints of builds."""

from typing import Any

import httpx
import pytest

from orchestrator.builds import requests
from orchestrator.database.models import Run
from orchestrator.wire.builds import BuildOrder, Toolchain
from tests.support.agent_reports import build, enroll, heartbeat
from tests.support.live_service import Served

CLANG = Toolchain(compiler="clang", optimization="O3")


def want(served: Served, agent_id: str, run_id: str = "run000000001", **given: Any) -> None:
    """Store a run that requires clang -O3 on an agent."""
    values = {"name": "x", "plan": {}, "seed": 1, "state": "planned", "executions_total": 1, **given}
    with served.database.write() as session:
        session.add(Run(id=run_id, **values))
        session.flush()
        requests.request_builds(session, run_id, {agent_id: {CLANG: None}})


def orders(client: httpx.Client) -> list[BuildOrder]:
    answer = client.post("/api/v1/heartbeats", json=heartbeat()).raise_for_status().json()
    return [BuildOrder.model_validate(order) for order in answer["builds"]]


def ordered(served: Served) -> tuple[httpx.Client, str, BuildOrder]:
    """Enroll an agent, and let a run require clang -O3 on it; return its client, its id and the order."""
    client, identity = enroll(served)
    want(served, identity["agent_id"])
    (order,) = orders(client)
    return client, identity["agent_id"], order


def answer(client: httpx.Client, request_id: int, **outcome: Any) -> httpx.Response:
    return client.post(f"/api/v1/build-requests/{request_id}/outcome", json=outcome)


def listed(served: Served, **parameters: str) -> list[dict[str, Any]]:
    return list(served.viewer.get("/api/v1/build-requests", params=parameters).raise_for_status().json()["items"])


class TestOrders:
    def test_open_request_is_sent_until_it_is_settled(self, fresh: Served) -> None:
        client, identity = enroll(fresh)
        assert orders(client) == []
        want(fresh, identity["agent_id"])
        (order,), again = orders(client), orders(client)
        assert again == [order]
        assert Toolchain.model_validate(order.toolchain) == CLANG
        assert answer(client, order.request_id, failure="no clang++ in the path").status_code == 200
        assert orders(client) == []

    @pytest.mark.parametrize("state", ["cancelled", "finished"])
    def test_nothing_is_built_for_a_run_that_has_ended(self, fresh: Served, state: str) -> None:
        client, identity = enroll(fresh)
        want(fresh, identity["agent_id"], state=state)
        assert orders(client) == []

    def test_requests_of_the_most_urgent_run_come_first(self, fresh: Served) -> None:
        client, identity = enroll(fresh)
        want(fresh, identity["agent_id"], priority=5)
        urgent = Toolchain(optimization="O0")
        with fresh.database.write() as session:
            session.add(
                Run(id="run000000002", name="y", plan={}, seed=1, state="planned", executions_total=1, priority=0)
            )
            session.flush()
            requests.request_builds(session, "run000000002", {identity["agent_id"]: {urgent: None}})
        assert [Toolchain.model_validate(order.toolchain) for order in orders(client)] == [urgent, CLANG]

    def test_several_runs_wait_for_one_request(self, fresh: Served) -> None:
        client, identity = enroll(fresh)
        for number in range(3):
            want(fresh, identity["agent_id"], f"run00000000{number}")
        assert len(orders(client)) == 1


class TestOutcome:
    def test_a_build_that_was_reported(self, fresh: Served) -> None:
        client, _, order = ordered(fresh)
        client.post("/api/v1/builds", json=build("c" * 64, compiler="clang", optimization="O3"))
        settled = answer(client, order.request_id, build_key="c" * 64).json()
        assert (settled["state"], settled["build_key"], settled["failure"]) == ("ready", "c" * 64, None)
        assert settled["toolchain_words"] == "clang -O3"

    def test_failure_is_stored_as_a_build_with_its_reason(self, fresh: Served) -> None:
        client, agent_id, order = ordered(fresh)
        settled = answer(client, order.request_id, failure="clang++ is not installed").json()
        shown = fresh.viewer.get(f"/api/v1/builds/{settled['build_id']}").json()
        agent = fresh.viewer.get(f"/api/v1/agents/{agent_id}").json()
        assert (settled["state"], settled["failure"]) == ("failed", "clang++ is not installed")
        assert (shown["failure"], shown["current"], shown["runners"]) == ("clang++ is not installed", False, {})
        assert [(one["toolchain_words"], one["failure"]) for one in agent["builds"]] == [
            ("clang -O3", "clang++ is not installed")
        ]

    def test_again_changes_nothing(self, fresh: Served) -> None:
        client, _, order = ordered(fresh)
        first = answer(client, order.request_id, failure="no compiler").json()
        assert answer(client, order.request_id, failure="no compiler").json() == first
        assert answer(client, order.request_id, failure="another reason").json() == first
        assert len(listed(fresh)) == 1

    def test_a_request_that_is_opened_again_gets_a_new_answer_in_the_same_row(self, fresh: Served) -> None:
        client, agent_id, order = ordered(fresh)
        first = answer(client, order.request_id, failure="no compiler").json()
        want(fresh, agent_id, "run000000002")
        assert listed(fresh)[0]["state"] == "open"
        second = answer(client, order.request_id, failure="ld: cannot find -lc").json()
        assert (second["build_id"], second["failure"]) == (first["build_id"], "ld: cannot find -lc")

    @pytest.mark.parametrize(
        ("outcome", "status", "detail"),
        [
            ({"build_key": "f" * 64}, 404, "has not reported a build ffff"),
            ({"build_key": "b" * 64}, 422, "was made by gcc -O2, expected clang -O3"),
            ({}, 422, "either a build_key or a failure"),
            ({"build_key": "b" * 64, "failure": "both"}, 422, "either a build_key or a failure"),
            ({"failure": ""}, 422, "1 or more characters"),
        ],
    )
    def test_an_outcome_that_cannot_be(self, fresh: Served, outcome: dict[str, str], status: int, detail: str) -> None:
        client, identity = enroll(fresh)
        want(fresh, identity["agent_id"])
        client.post("/api/v1/builds", json=build("b" * 64))
        (order,) = orders(client)
        refused = answer(client, order.request_id, **outcome)
        assert (refused.status_code, listed(fresh)[0]["state"]) == (status, "open")
        assert detail in refused.json()["detail"]


class TestList:
    def test_it_is_filtered_and_paged(self, fresh: Served) -> None:
        _, identity = enroll(fresh)
        with fresh.database.write() as session:
            session.add(Run(id="run000000001", name="x", plan={}, seed=1, state="planned", executions_total=1))
            session.flush()
            required = {Toolchain(optimization=name): None for name in ("O0", "O1", "O3")}
            requests.request_builds(session, "run000000001", {identity["agent_id"]: required})
        first = fresh.viewer.get("/api/v1/build-requests", params={"limit": 2}).json()
        second = fresh.viewer.get("/api/v1/build-requests", params={"limit": 2, "cursor": first["next_cursor"]}).json()
        words = [one["toolchain_words"] for one in first["items"] + second["items"]]
        assert (words, second["next_cursor"]) == (["gcc -O3", "gcc -O1", "gcc -O0"], None)
        assert len(listed(fresh, agent_id=identity["agent_id"], state="open")) == 3
        assert listed(fresh, state="failed") == listed(fresh, agent_id="absent") == []


class TestDefaultBuild:
    def test_a_newer_default_takes_the_mark(self, fresh: Served) -> None:
        client, _ = enroll(fresh)
        for key, toolchain in (("a", {}), ("b", {"optimization": "O3"})):
            client.post("/api/v1/builds", json={**build(key * 64, **toolchain), "is_default": True})
        marked = [
            one["build_key"][0] for one in fresh.viewer.get("/api/v1/builds").json()["items"] if one["is_default"]
        ]
        assert marked == ["b"]

    def test_a_build_on_request_takes_nothing_from_it(self, fresh: Served) -> None:
        client, _ = enroll(fresh)
        client.post("/api/v1/builds", json={**build("a" * 64), "is_default": True})
        # The same toolchain under another key, and the default build itself reported for a request.
        for key in "ba":
            client.post("/api/v1/builds", json=build(key * 64))
        shown = {one["build_key"][0]: one for one in fresh.viewer.get("/api/v1/builds").json()["items"]}
        assert (shown["a"]["is_default"], shown["a"]["current"]) == (True, True)
        assert shown["b"]["is_default"] is False


class TestFootprints:
    def _footprint(self, **given: Any) -> dict[str, Any]:
        sizes = dict.fromkeys(("code_bytes", "static_ram_bytes", "context_bytes"), 100)
        identity = {"provider": "own", "algorithm": "aes-128-ctr", "variant": "ref"}
        return {**identity, **sizes, "stack_bytes": {"encrypt": 100}, **given}

    def test_a_later_one_replaces_the_earlier(self, fresh: Served) -> None:
        client, _ = enroll(fresh)
        path = f"/api/v1/builds/{'b' * 64}/footprints"
        assert client.post(path, json={"footprints": [self._footprint()]}).status_code == 404
        build_id = client.post("/api/v1/builds", json=build()).json()["id"]
        client.post(path, json={"footprints": [self._footprint(), self._footprint(algorithm="aes-128-ecb")]})
        absent = {"code_bytes": None, "reason": "the linker knows no --gc-sections"}
        assert client.post(path, json={"footprints": [self._footprint(**absent)]}).json() == {"stored": 1}
        first, second = fresh.viewer.get(f"/api/v1/builds/{build_id}/footprints").json()
        assert (first["algorithm"], first["code_bytes"], first["reason"]) == (
            "aes-128-ctr", None, "the linker knows no --gc-sections",
        )  # fmt: skip
        assert (second["algorithm"], second["stack_bytes"]) == ("aes-128-ecb", {"encrypt": 100})

    def test_those_on_a_target_are_kept_next_to_those_on_the_agent(self, fresh: Served) -> None:
        client, _ = enroll(fresh)
        on_target = self._footprint(target="cortex-m3", code_bytes=40, constant_bytes=16)
        build_id = client.post("/api/v1/builds", json=build()).json()["id"]
        client.post(f"/api/v1/builds/{'b' * 64}/footprints", json={"footprints": [self._footprint(), on_target]})
        path = f"/api/v1/builds/{build_id}/footprints"
        (own,), (other,) = (
            fresh.viewer.get(path).json(),
            fresh.viewer.get(path, params={"target": "cortex-m3"}).json(),
        )
        refused = fresh.viewer.get(path, params={"target": "../x"})
        assert (own["target"], own["code_bytes"], own["constant_bytes"]) == ("", 100, None)
        assert (other["target"], other["code_bytes"], other["constant_bytes"]) == ("cortex-m3", 40, 16)
        assert refused.status_code == 422
