"""Server-sent events: the present state, then events to the end of the run, also after a reconnection."""

import json
from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update

from orchestrator.database.models import Agent, Execution, Job, Run, now
from orchestrator.runs.jobs.service import settle
from tests.support.fleet import Fleet


def _events(response: httpx.Response) -> Iterator[tuple[str, int, dict[str, object]]]:
    """Yield (kind, id, data) of each event in a stream."""
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        name, _, value = line.partition(": ")
        if line and name:
            fields[name] = value
        elif fields:
            if "event" in fields:
                yield fields["event"], int(fields["id"]), json.loads(fields["data"])
            fields = {}


def _finish(fleet: Fleet, run_id: str) -> None:
    jobs = [job["id"] for job in fleet.jobs(run_id)]
    for job_id in jobs:
        with fleet.database.write() as session:
            session.execute(update(Execution).where(Execution.job_id == job_id).values(state="ok"))
            settle(session, [job_id])


class TestListenToRun:
    def test_stream_starts_with_the_present_state_and_ends_with_the_run(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        received = []
        with fleet.submitter.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            for event in _events(response):
                received.append(event)
                if len(received) == 2:  # the present state is complete
                    _finish(fleet, run_id)
        kinds = [kind for kind, _, _ in received]
        assert kinds[:2] == ["run-state", "progress"]
        assert received[0][2]["state"] == "running"
        assert (received[1][2]["done"], received[1][2]["total"]) == (0, 24)
        assert "job-state" in kinds
        assert [data["state"] for kind, _, data in received if kind == "run-state"] == ["running", "finished"]
        numbers = [number for _, number, _ in received]
        assert numbers == sorted(numbers)

    def test_reconnected_client_receives_missed_events(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        with fleet.submitter.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
            _, last_id, _ = next(_events(response))
        _finish(fleet, run_id)
        headers = {"Last-Event-ID": str(last_id)}
        with fleet.submitter.stream("GET", f"/api/v1/runs/{run_id}/events", headers=headers) as response:
            received = list(_events(response))
        assert all(number > last_id for _, number, _ in received)
        assert ("run-state", "finished") in [(kind, data.get("state")) for kind, _, data in received]
        # A browser's EventSource reconnects until it receives 204.
        headers = {"Last-Event-ID": str(received[-1][1])}
        assert fleet.submitter.get(f"/api/v1/runs/{run_id}/events", headers=headers).status_code == 204

    def test_stream_of_an_unknown_run_is_not_found(self, fleet: Fleet) -> None:
        answer = fleet.submitter.get("/api/v1/runs/nosuchrun000/events")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


class TestProgress:
    def test_rate_and_remaining_time_use_the_last_jobs(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        assert fleet.run(run_id)["progress"]["seconds_left"] == fleet.run(run_id)["estimated_seconds"]
        first, *_ = fleet.jobs(run_id)
        count = first["executions_total"]
        with fleet.database.write() as session:
            at = now()
            done = {"state": "done", "attempts": 1, "started_at": at, "finished_at": at.replace(year=at.year + 1)}
            session.execute(update(Job).where(Job.id == first["id"]).values(**done))
            session.execute(update(Execution).where(Execution.job_id == first["id"]).values(state="ok"))
        progress = fleet.run(run_id)["progress"]
        year_seconds = 365.25 * 86_400
        assert progress["basis"] == "The last jobs of each agent."
        assert progress["executions_per_second"] == pytest.approx(count / year_seconds, rel=0.01)
        assert progress["seconds_left"] == pytest.approx((24 - count) * year_seconds / count, rel=0.01)
        assert progress["percent"] == 100 * count / 24

    def test_rate_before_the_first_job_ended_leaves_the_wait_for_it_out(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        first, *_ = fleet.jobs(run_id)
        with fleet.database.write() as session:
            session.execute(update(Run).where(Run.id == run_id).values(started_at=now() - timedelta(hours=9)))
            session.execute(update(Job).where(Job.id == first["id"]).values(started_at=now() - timedelta(minutes=10)))
            one = session.scalars(select(Execution.id).where(Execution.job_id == first["id"])).first()
            session.execute(update(Execution).where(Execution.id == one).values(state="ok"))
        progress = fleet.run(run_id)["progress"]
        assert progress["seconds_left"] == pytest.approx(23 * 600, rel=0.2)

    def test_remaining_time_is_unknown_while_an_agent_is_silent(self, fleet: Fleet) -> None:
        """Regression: it grew with the time since the run's start, from a rate of agents that were done."""
        run_id = fleet.lay_out()
        with fleet.database.write() as session:
            session.execute(update(Agent).values(last_heartbeat_at=now() - timedelta(hours=1)))
        progress = fleet.run(run_id)["progress"]
        assert (progress["seconds_left"], progress["executions_per_second"]) == (None, None)
        assert progress["basis"].startswith("Unknown: it waits for ")


class TestLists:
    def test_pages_have_every_case_once(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        numbers: list[int] = []
        cursor = ""
        while cursor is not None:
            page = fleet.submitter.get(f"/api/v1/runs/{run_id}/cases", params={"limit": 3, "cursor": cursor}).json()
            assert len(page["items"]) <= 3
            numbers += [case["number"] for case in page["items"]]
            cursor = page["next_cursor"]
        assert numbers == list(range(8))

    def test_cases_can_be_filtered(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        filters = {"provider": "botan", "kind": "text", "length_bytes": 2048}
        (case,) = fleet.submitter.get(f"/api/v1/runs/{run_id}/cases", params=filters).json()["items"]
        assert {name: case[name] for name in ("provider", "input_kind", "message_bytes")} == {
            "provider": "botan",
            "input_kind": "text",
            "message_bytes": 2048,
        }
        detail = fleet.submitter.get(f"/api/v1/cases/{case['id']}").json()
        assert detail["toolchain"] == {"compiler": "gcc"}
