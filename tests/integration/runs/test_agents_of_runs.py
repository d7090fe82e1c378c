"""The agents of a run are those of its submission, and each part is laid out when the plan lets it start."""

from typing import Any

import pytest
from sqlalchemy import select, update

from orchestrator.database.models import Agent, Build, Case, Execution, Job, Proof, Run, RunAgent
from orchestrator.runs.jobs.service import settle
from orchestrator.runs.scheduling.rounds import lay_out_rounds
from tests.integration.runs.test_toolchains import BOTH, build_all
from tests.support.fleet import Fleet
from tests.support.offers import add_agent

CLANG_BUILT = {"compiler": "clang", "optimization": "O3"}


@pytest.fixture
def built(fleet: Fleet) -> str:
    """Add an agent that has the builds of both toolchains; the agent `pi` lacks one."""
    with fleet.database.write() as session:
        agent_id = add_agent(session, "built")
        default = session.scalars(select(Build).where(Build.agent_id == agent_id)).one()
        columns = {name: getattr(default, name) for name in ("agent_id", "source_sha256", "runners")}
        clang = Build(**columns, build_key="f" * 64, toolchain=CLANG_BUILT, compiler_version="clang 14")
        clang.missing_providers, clang.current = {}, True
        session.add(clang)
        session.flush()
        for proof in session.scalars(select(Proof).where(Proof.build_id == default.id)).all():
            names = ("provider", "algorithm", "variant", "passed", "output_sha256")
            session.add(Proof(build_id=clang.id, **{name: getattr(proof, name) for name in names}))
        return agent_id


def agents_of_jobs(fleet: Fleet, run_id: str) -> set[str]:
    return {job["agent_id"] for job in fleet.jobs(run_id)}


def numbers(fleet: Fleet, run_id: str) -> list[int]:
    with fleet.database.read() as session:
        return list(session.scalars(select(Case.number).where(Case.run_id == run_id).order_by(Case.number)))


def finish_jobs(fleet: Fleet, run_id: str) -> None:
    """Store a result for every execution of the run's jobs."""
    with fleet.database.write() as session:
        jobs = list(session.scalars(select(Job.id).where(Job.run_id == run_id)))
        session.execute(update(Execution).where(Execution.job_id.in_(jobs)).values(state="ok"))
        settle(session, jobs)


class TestAgentsOfTheSubmission:
    def test_label_and_name_that_an_agent_loses_before_the_layout_change_nothing(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            session.get_one(Agent, fleet.agent_id).labels = ["kitchen"]
        run_id = fleet.submit(agents=["pi"], requires={"labels": ["kitchen"]})
        fleet.execute(update(Agent).values(labels=[], name="attic"))
        assert fleet.lay_out_next()
        assert agents_of_jobs(fleet, run_id) == {fleet.agent_id}

    @pytest.mark.long
    def test_agent_that_joins_before_the_layout_changes_nothing(self, fleet: Fleet) -> None:
        """Regression: an agent that enrolled while a run waited for builds was pulled into the run."""
        run_id = fleet.submit(toolchains=BOTH)
        assert [agent["id"] for agent in run_agents(fleet, run_id)] == [fleet.agent_id]
        with fleet.database.write() as session:
            other = add_agent(session, "other")
        build_all(fleet)
        assert fleet.lay_out_next()
        run = fleet.run(run_id)
        assert (run["state"], run["executions_total"], run["cases"]) == ("running", 48, 16)
        assert agents_of_jobs(fleet, run_id) == {fleet.agent_id}
        assert other not in [agent["id"] for agent in run_agents(fleet, run_id)]

    def test_agent_left_out_at_the_submission_has_its_omission_once(self, fleet: Fleet) -> None:
        with fleet.database.write() as session:
            other = add_agent(session, "other")
            session.execute(update(Agent).where(Agent.id == other).values(approved_at=None))
        run_id = fleet.submit()
        assert fleet.lay_out_next()
        (omission,) = fleet.submitter.get(f"/api/v1/runs/{run_id}/omissions").json()["items"]
        assert (omission["agent_name"], omission["reason"]) == (
            "other", "other waits for approval (ciphermark agents approve).",
        )  # fmt: skip

    def test_run_of_an_earlier_version_gets_its_agents_at_the_layout(self, fleet: Fleet) -> None:
        run_id = fleet.submit()
        with fleet.database.write() as session:
            session.execute(RunAgent.__table__.delete())  # type: ignore[attr-defined]
            session.execute(update(Run).values(start="together"))
        assert fleet.lay_out_next()
        assert agents_of_jobs(fleet, run_id) == {fleet.agent_id}
        assert fleet.run(run_id)["executions_total"] == 24


class TestStart:
    def test_agent_whose_builds_are_ready_starts_first(self, fleet: Fleet, built: str) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        assert fleet.run(run_id)["executions_total"] == 96
        assert [fleet.lay_out_next(), fleet.lay_out_next()] == [True, False]
        run = fleet.run(run_id)
        assert (run["state"], run["laid_out_at"]) == ("running", None)
        assert run["progress"]["waiting"] == 96
        assert agents_of_jobs(fleet, run_id) == {built}
        finish_jobs(fleet, run_id)
        assert fleet.run(run_id)["state"] == "running"
        (listed,) = fleet.submitter.get("/api/v1/runs").json()["items"]
        assert (listed["executions_done"], listed["ok"]) == (48, 48)

        build_all(fleet)
        assert fleet.lay_out_next()
        run = fleet.run(run_id)
        assert run["laid_out_at"] is not None
        assert agents_of_jobs(fleet, run_id) == {built, fleet.agent_id}
        assert numbers(fleet, run_id) == list(range(32))
        finish_jobs(fleet, run_id)
        run = fleet.run(run_id)
        assert (run["state"], run["progress"]["percent"]) == ("finished", 100)

    def test_together_waits_for_the_builds_of_all_agents(self, fleet: Fleet, built: str) -> None:
        run_id = fleet.submit(toolchains=BOTH, start="together")
        assert fleet.lay_out_next() is False
        build_all(fleet)
        assert fleet.lay_out_next()
        assert agents_of_jobs(fleet, run_id) == {built, fleet.agent_id}

    @pytest.mark.long
    def test_later_part_survives_a_crash_of_the_scheduler(self, fleet: Fleet, built: str) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        fleet.lay_out_next()
        first = {job["id"] for job in fleet.jobs(run_id)}
        build_all(fleet)
        fleet.lay_out_next()
        with fleet.database.write() as session:
            part = session.get_one(RunAgent, (run_id, fleet.agent_id))
            part.laid_out_at = None
            session.execute(update(Run).values(laid_out_at=None))
            mine = (Job.run_id == run_id, Job.agent_id == fleet.agent_id)
            session.execute(update(Job).where(*mine).values(state="planned"))
        assert lay_out_rounds(fleet.database, fleet.served.settings) == 0
        assert fleet.lay_out_next()
        jobs = fleet.jobs(run_id)
        assert first < {job["id"] for job in jobs}
        assert sum(job["executions_total"] for job in jobs) == 96
        assert {job["state"] for job in jobs} == {"waiting"}

    def test_paused_run_gets_its_later_part_after_it_is_resumed(self, fleet: Fleet, built: str) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        fleet.lay_out_next()
        fleet.change(run_id, "pause")
        build_all(fleet)
        assert fleet.lay_out_next() is False
        assert fleet.change(run_id, "resume")["state"] == "running"
        assert fleet.lay_out_next()
        assert agents_of_jobs(fleet, run_id) == {built, fleet.agent_id}

    def test_agent_revoked_while_it_builds_is_omitted_and_the_run_ends(self, fleet: Fleet, built: str) -> None:
        run_id = fleet.submit(toolchains=BOTH)
        fleet.lay_out_next()
        fleet.served.admin.post(f"/api/v1/agents/{fleet.agent_id}/revoke", json={}).raise_for_status()
        assert fleet.lay_out_next()
        run = fleet.run(run_id)
        assert (run["executions_total"], run["laid_out_at"] is not None) == (48, True)
        omissions = fleet.submitter.get(f"/api/v1/runs/{run_id}/omissions").json()["items"]
        assert [one["reason"] for one in omissions] == ["pi was revoked."]
        finish_jobs(fleet, run_id)
        assert fleet.run(run_id)["state"] == "finished"


def run_agents(fleet: Fleet, run_id: str) -> list[dict[str, Any]]:
    """Return the agents of a run as the list of runs shows them."""
    items = fleet.submitter.get("/api/v1/runs").raise_for_status().json()["items"]
    return list(next(run for run in items if run["id"] == run_id)["agents"])
