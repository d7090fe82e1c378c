"""Toolchains of plans: missing builds are requested and awaited, and their cases executed or skipped."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import func, select, update

from orchestrator.database.models import (
    Agent,
    Build,
    BuildRequest,
    Case,
    CaseStatistics,
    Execution,
    Inventory,
    Job,
    Run,
    RunAgent,
    now,
)
from orchestrator.runs.jobs.message import build_message
from orchestrator.runs.jobs.service import settle
from orchestrator.runs.scheduling.lease import LEASE_DURATION
from orchestrator.wire.jobs import LatencyCase, latency_input_sha256
from tests.support.agent_reports import heartbeat
from tests.support.fleet import Fleet, plan
from tests.support.offers import EVALME_ALGORITHMS, SESSION, add_agent

CLANG = {"compiler": "clang", "optimization": "O3"}
BOTH = [{"compiler": "gcc"}, CLANG]


def orders(fleet: Fleet) -> list[dict[str, Any]]:
    """Send a heartbeat; return the builds that it orders."""
    answer = fleet.agent.post("/api/v1/heartbeats", json=heartbeat(session_id=SESSION)).raise_for_status()
    return list(answer.json()["builds"])


def kept(fleet: Fleet) -> list[str]:
    answer = fleet.agent.post("/api/v1/heartbeats", json=heartbeat(session_id=SESSION)).raise_for_status()
    return list(answer.json()["keep_builds"])


def report(fleet: Fleet, build_key: str, toolchain: dict[str, Any], unproved: str = "") -> None:
    """Report a build of Botan and Crypto++ with its proofs, as a builder does before it reports the outcome."""
    body = {
        "build_key": build_key, "source_sha256": None, "toolchain": toolchain, "compiler_version": "clang 14.0.6",
        "build_wall_ns": 30_000_000_000, "runners": [_runner("cryptopp"), _runner("botan")],
    }  # fmt: skip
    fleet.agent.post("/api/v1/builds", json=body).raise_for_status()
    proofs = [
        {"provider": provider, "algorithm": name, "variant": "ref", "passed": True, "output_sha256": None}
        for provider in ("cryptopp", "botan")
        for name in EVALME_ALGORITHMS
        if provider != unproved
    ]
    fleet.agent.post(f"/api/v1/builds/{build_key}/proofs", json={"proofs": proofs}).raise_for_status()


def _runner(provider: str) -> dict[str, Any]:
    rows = [
        {"algorithm": name, "variant": "ref", "kind": "stream", "available": True, "default": True}
        for name in EVALME_ALGORITHMS
    ]
    listing = {"protocol": 2, "provider": provider, "version": "1", "build": {}, "implementations": rows}
    return {"provider": provider, "sha256": "2" * 64, "size_bytes": 1, "listing": listing}


def answer(fleet: Fleet, **outcome: Any) -> None:
    """Report the outcome of every order."""
    for order in orders(fleet):
        path = f"/api/v1/build-requests/{order['request_id']}/outcome"
        fleet.agent.post(path, json=outcome).raise_for_status()


def build_all(fleet: Fleet, build_key: str = "c" * 64) -> None:
    report(fleet, build_key, CLANG)
    answer(fleet, build_key=build_key)


def executions(fleet: Fleet, run_id: str) -> list[tuple[Execution, Build]]:
    with fleet.database.read() as session:
        rows = session.execute(
            select(Execution, Build)
            .join(Case, Case.id == Execution.case_id)
            .join(Build, Build.id == Case.build_id)
            .where(Execution.run_id == run_id)
            .order_by(Execution.position)
        )
        return [(execution, build) for execution, build in rows]


class TestPreview:
    def test_preview_lists_missing_builds_with_their_duration(self, fleet: Fleet) -> None:
        shown = fleet.preview(plan(toolchains=BOTH))
        (build,) = shown["agents"][0]["builds"]
        assert (build["toolchain_words"], build["earlier_failure"]) == ("clang -O3", None)
        assert build["estimated_seconds"] == shown["estimated_build_seconds"] == 120
        assert build["basis"].startswith("Assumed")
        assert shown["executions_total"] == 48
        assert orders(fleet) == []

    def test_preview_names_a_missing_compiler_and_the_command_that_installs_it(self, fleet: Fleet) -> None:
        gcc_is_installed = {"name": "gcc", "command": "g++", "version": "12.2.0", "target": "x86_64-linux-gnu"}
        with fleet.database.write() as session:
            stored = session.query(Inventory).one()
            stored.facts = stored.facts | {"compilers": [gcc_is_installed]}
        toolchains = [{"compiler": name, "optimization": "O3"} for name in ("gcc", "icpx", "clang")]
        gcc, icpx, clang = fleet.preview(plan(toolchains=toolchains))["agents"][0]["builds"]
        assert gcc["obstacle"] is None
        assert "apt-get" not in icpx["obstacle"]
        assert clang["obstacle"].startswith("clang is not in the agent's inventory")
        assert clang["obstacle"].endswith("sudo apt-get install -y clang")

    def test_build_estimate_uses_an_earlier_build(self, fleet: Fleet) -> None:
        report(fleet, "c" * 64, CLANG)
        with fleet.database.write() as session:
            # The source of the runners has changed since, so that new runs cannot use the build.
            session.execute(update(Build).where(Build.build_key == "c" * 64).values(source_sha256="d" * 64))
        (build,) = fleet.preview(plan(toolchains=BOTH))["agents"][0]["builds"]
        assert (build["estimated_seconds"], build["basis"]) == (30, "An earlier build of this toolchain on this agent.")

    def test_preview_shows_the_last_failure(self, fleet: Fleet) -> None:
        fleet.submit(toolchains=BOTH)
        answer(fleet, failure="clang++ is not installed")
        (build,) = fleet.preview(plan(toolchains=BOTH))["agents"][0]["builds"]
        assert build["earlier_failure"] == "clang++ is not installed"


class TestWaiting:
    def test_waiting_run_lists_its_builds_and_others_continue(self, fleet: Fleet) -> None:
        waiting = fleet.submit(toolchains=BOTH, priority=0)
        other = fleet.submit()
        assert fleet.run(waiting)["waiting_for_builds"] == ["pi clang -O3"]
        assert fleet.lay_out_next()
        assert (fleet.run(waiting)["state"], fleet.run(other)["state"]) == ("planned", "running")
        assert fleet.lay_out_next() is False
        listed = fleet.submitter.get("/api/v1/runs").json()["items"]
        assert {run["id"]: run["waiting_for_builds"] for run in listed} == {waiting: ["pi clang -O3"], other: []}

    def test_build_is_ordered_when_the_agent_has_no_ready_job(self, fleet: Fleet) -> None:
        """Regression: builds for one run delayed the jobs of another one that was ready."""
        fleet.submit(toolchains=BOTH, priority=0)
        ready = fleet.submit(priority=9)
        assert len(orders(fleet)) == 1
        fleet.lay_out_next()
        assert orders(fleet) == []
        fleet.execute(update(Agent).values(health="quarantined"))
        assert len(orders(fleet)) == 1  # It gets no jobs.
        fleet.execute(update(Agent).values(health="healthy"))
        fleet.change(ready, "pause")
        assert len(orders(fleet)) == 1
        fleet.change(ready, "resume")
        assert orders(fleet) == []
        fleet.change(ready, "cancel")
        assert len(orders(fleet)) == 1

    def test_finished_build_starts_the_run(self, fleet: Fleet) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        build_all(fleet)
        assert fleet.run(run_id)["waiting_for_builds"] == []
        assert fleet.lay_out_next()
        rows = executions(fleet, run_id)
        assert Counter(build.toolchain["compiler"] for _, build in rows) == {"gcc": 24, "clang": 24}
        # Builds are interleaved: each block of 16 has both.
        first = [build.toolchain["compiler"] for execution, build in rows if execution.repetition == 1]
        assert first.count("clang") == 8
        assert first not in ([*["gcc"] * 8, *["clang"] * 8], [*["clang"] * 8, *["gcc"] * 8])

    def test_build_whose_proofs_are_not_complete_is_awaited_by_a_second_run(self, fleet: Fleet) -> None:
        first = fleet.submit(toolchains=BOTH)
        report(fleet, "c" * 64, CLANG, unproved="botan")
        second = fleet.submit(toolchains=BOTH)
        waiting = {run_id: fleet.run(run_id)["waiting_for_builds"] for run_id in (first, second)}
        assert waiting == {first: ["pi clang -O3"], second: ["pi clang -O3"]}
        build_all(fleet)
        assert [fleet.lay_out_next(), fleet.lay_out_next()] == [True, True]
        assert {fleet.run(run_id)["executions_total"] for run_id in (first, second)} == {48}

    @pytest.mark.long
    def test_build_of_older_source_is_requested_again(self, fleet: Fleet) -> None:
        fleet.submit(toolchains=BOTH)
        build_all(fleet)
        fleet.execute(update(Build).where(Build.is_default).values(source_sha256="d" * 64))
        fleet.submit(toolchains=BOTH)
        assert [order["toolchain"]["compiler"] for order in orders(fleet)] == ["clang"]

    @pytest.mark.long
    def test_build_removed_before_the_layout_is_requested_again(self, fleet: Fleet) -> None:
        fleet.submit(toolchains=BOTH)
        build_all(fleet)
        run_id = fleet.submit(toolchains=BOTH)
        with fleet.database.write() as session:
            session.execute(update(BuildRequest).values(build_id=None))
            session.execute(update(Build).where(Build.build_key == "c" * 64).values(current=False))
        fleet.lay_out_next()
        fleet.lay_out_next()
        assert fleet.run(run_id)["waiting_for_builds"] == ["pi clang -O3"]
        build_all(fleet, "e" * 64)
        assert fleet.lay_out_next()

    def test_build_without_proofs_is_omitted(self, fleet: Fleet) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        report(fleet, "c" * 64, CLANG, unproved="botan")
        answer(fleet, build_key="c" * 64)
        fleet.lay_out_next()
        (omission,) = fleet.submitter.get(f"/api/v1/runs/{run_id}/omissions").json()["items"]
        assert omission["provider"] == "botan"
        assert omission["reason"] == "With clang -O3: Its known-answer tests have not run on this build yet."
        assert Counter(build.toolchain["compiler"] for _, build in executions(fleet, run_id)) == {
            "gcc": 24,
            "clang": 12,
        }

    @pytest.mark.long
    def test_cancelled_run_ends_its_wait_and_resumed_run_waits_again(self, fleet: Fleet) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        assert fleet.change(run_id, "cancel")["state"] == "cancelled"
        assert (orders(fleet), fleet.run(run_id)["waiting_for_builds"]) == ([], [])
        assert fleet.change(run_id, "resume")["state"] == "planned"
        assert len(orders(fleet)) == 1
        build_all(fleet)
        assert fleet.lay_out_next()

    def test_revoked_agent_is_not_awaited(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            other = add_agent(session, "other")
            # It has the build of clang, so that only the other agent is awaited.
            session.execute(update(Build).where(Build.agent_id == other).values(toolchain=CLANG))
        run_id = fleet.submit(toolchains=[CLANG])
        assert fleet.run(run_id)["waiting_for_builds"] == ["pi clang -O3"]
        fleet.served.admin.post(f"/api/v1/agents/{fleet.agent_id}/revoke", json={}).raise_for_status()
        assert fleet.run(run_id)["waiting_for_builds"] == []
        assert fleet.lay_out_next()
        assert {case["agent_name"] for case in fleet.cases(run_id)} == {"other"}

    @pytest.mark.long
    def test_builds_of_unfinished_runs_are_kept(self, fleet: Fleet) -> None:
        assert kept(fleet) == []
        run_id = fleet.submit(toolchains=BOTH)
        build_all(fleet)
        waiting = set(kept(fleet))
        fleet.lay_out_next()
        assert waiting == set(kept(fleet)) >= {"c" * 64}
        fleet.change(run_id, "cancel")
        assert kept(fleet) == []


class TestFailedBuild:
    def test_cases_of_a_failed_build_are_skipped_with_its_output_and_the_others_end_the_run(self, fleet: Fleet) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        answer(fleet, failure="error: unknown target CPU 'x'")
        assert fleet.lay_out_next()
        skipped = [execution for execution, build in executions(fleet, run_id) if build.failure]
        assert len(skipped) == 24
        for execution in skipped:
            assert (execution.state, execution.job_id, execution.position) == ("skipped", None, None)
            assert execution.failure is not None
            assert execution.failure["error"] == "build-failed"
            assert execution.failure["detail"] == "error: unknown target CPU 'x'"
        run = fleet.run(run_id)
        assert (run["state"], run["executions_total"], run["progress"]["skipped"]) == ("running", 48, 24)
        assert sum(job["executions_total"] for job in fleet.jobs(run_id)) == 24
        with fleet.database.write() as session:
            jobs = list(session.scalars(select(Job.id).where(Job.run_id == run_id)))
            session.execute(update(Execution).where(Execution.job_id.in_(jobs)).values(state="ok"))
            settle(session, jobs)
        run = fleet.run(run_id)
        assert (run["state"], run["progress"]["percent"]) == ("finished", 100)

    def test_run_with_failed_builds_only_ends_at_its_layout_and_its_cases_show_them(self, fleet: Fleet) -> None:
        run_id = fleet.submit(toolchains=[CLANG])
        answer(fleet, failure="no clang++ here")
        fleet.lay_out_next()
        run = fleet.run(run_id)
        assert (run["state"], run["progress"]["skipped"], fleet.jobs(run_id)) == ("finished", 24, [])
        case = fleet.cases(run_id)[0]
        assert (case["toolchain_words"], case["summary"]["skipped"], case["summary"]["ok"]) == ("clang -O3", 3, 0)
        assert fleet.submitter.get(f"/api/v1/cases/{case['id']}").json()["build_failure"] == "no clang++ here"

    def test_next_submission_requests_a_failed_build_again(self, fleet: Fleet) -> None:
        fleet.submit(toolchains=[CLANG])
        answer(fleet, failure="no clang++ here")
        run_id = fleet.submit(toolchains=[CLANG])
        build_all(fleet)
        assert [fleet.lay_out_next(), fleet.lay_out_next()] == [True, True]
        assert {execution.state for execution, _ in executions(fleet, run_id)} == {"waiting"}

    def test_layout_after_a_crash_has_no_duplicates(self, fleet: Fleet) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        answer(fleet, failure="no clang++ here")
        fleet.lay_out_next()
        with fleet.database.write() as session:
            crashed = {"state": "planned", "laid_out_at": None, "lease_renewed_at": now() - LEASE_DURATION}
            session.execute(update(Run).where(Run.id == run_id).values(**crashed))
            session.execute(update(RunAgent).where(RunAgent.run_id == run_id).values(laid_out_at=None))
        assert fleet.lay_out_next()
        assert len(executions(fleet, run_id)) == 48
        with fleet.database.read() as session:
            assert session.scalar(select(func.count()).select_from(CaseStatistics)) == 8


class TestLatency:
    MESSAGES = {"lengths": [16], "operations": ["encrypt", "key-setup"], "fill": "zero", "key": "zero", "timings": 3}

    def _matrix(self, **messages: Any) -> dict[str, Any]:
        keys = {**self.MESSAGES, **messages}
        return {
            "providers": ["botan"], "algorithms": ["aes-192-ctr"], "protocol": "latency", "messages": keys,
        }  # fmt: skip

    def test_timed_calls_keep_parameters_and_inputs_from_the_plan_to_the_job(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out(matrix=[self._matrix(key_setup=["apart", "included"])])
        with fleet.database.read() as session:
            message = build_message(session, fleet.jobs(run_id)[0]["id"])
        assert message is not None
        cases = [case for case in message.cases if isinstance(case, LatencyCase)]
        assert len(cases) == len(message.cases)
        seen = {(case.operation, case.key_setup, case.message_bytes) for case in cases}
        assert seen <= {("encrypt", "apart", 16), ("encrypt", "included", 16), ("key-setup", "apart", 0)}
        assert {(case.timings, case.min_timing_ms, case.fill, case.key_fill) for case in cases} == {
            (3, 10.0, "zero", "zero")
        }
        # Equal inputs have equal digests; a key setup has none.
        stored = fleet.cases(run_id)
        name = latency_input_sha256("zero", "zero", 16, 0)
        assert [(case["operation"], case["input_sha256"]) for case in stored] == [
            ("encrypt", name), ("encrypt", name), ("key-setup", None),
        ]  # fmt: skip
        assert {(case["protocol"], case["input_kind"]) for case in stored} == {("latency", None)}
        assert fleet.run(run_id)["progress"]["input_bytes_total"] is None

    def test_estimate_uses_earlier_latency_executions(self, fleet: Fleet) -> None:
        matrix = [self._matrix(operations=["encrypt"])]
        run_id = fleet.lay_out(matrix=matrix)
        before = fleet.preview(plan(matrix=matrix))
        with fleet.database.write() as session:
            (case_id,) = session.scalars(select(Execution.case_id).where(Execution.run_id == run_id).distinct())
            session.execute(update(Execution).values(state="ok", process_wall_ns=2_000_000_000))
            session.add(CaseStatistics(case_id=case_id, ok=3))
        after = fleet.preview(plan(matrix=matrix))
        assert before["estimated_seconds"] < 1
        assert after["estimated_seconds"] == pytest.approx(6, rel=0.01)
        assert after["agents"][0]["basis"] == "Earlier results of this agent."
