"""Event streams are bounded, cost one reader together, and end with the token that opened them."""

import threading
from contextlib import ExitStack

import httpx
import pytest
from sqlalchemy import update

from orchestrator.database.models import Agent, Run, now
from orchestrator.service.events import repository
from orchestrator.service.events.hub import Hub, StreamLimits
from orchestrator.service.security import sessions, tokens
from tests.support.fleet import Fleet
from tests.support.waiting import GENEROUS_SECONDS, until

LIMITS = StreamLimits()


def hub_of(fleet: Fleet) -> Hub:
    found = [one for one in fleet.served.app.state.kept_objects.values() if isinstance(one, Hub)]
    return found[0]


def note_event(fleet: Fleet, run_id: str | None) -> None:
    with fleet.database.write() as session:
        repository.note(session, "agent-state", run_id, state="planted")


def test_streams_of_a_caller_are_limited_and_their_places_become_free(fleet: Fleet) -> None:
    # 1 000 streams without a token used a whole core.
    with ExitStack() as streams:
        for _ in range(LIMITS.of_owner):
            assert streams.enter_context(fleet.submitter.stream("GET", "/api/v1/events")).status_code == 200
        refused = fleet.submitter.get("/api/v1/events")
        assert (refused.status_code, refused.json()["type"]) == (429, "/problems/too-many-requests")
        assert int(refused.headers["retry-after"]) == refused.json()["facts"]["retry_after_seconds"] > 0
        with fleet.served.client() as anonymous, anonymous.stream("GET", "/api/v1/events") as other:
            assert other.status_code == 200
    until(lambda: hub_of(fleet).streams == 0, "the end of the streams")
    with fleet.submitter.stream("GET", "/api/v1/events") as again:
        assert again.status_code == 200


def test_every_stream_receives_an_event_from_one_reader(fleet: Fleet) -> None:
    run_id = fleet.lay_out()
    before = readers()
    with ExitStack() as streams:
        lines = []
        for path in ["/api/v1/events", f"/api/v1/runs/{run_id}/events"] * 10:
            lines.append(streams.enter_context(fleet.submitter.stream("GET", path)).iter_lines())
            assert "runs" not in path or any("progress" in line for line in lines[-1])
        until(lambda: hub_of(fleet).streams == 20, "all streams")
        note_event(fleet, run_id)
        for one in lines:
            assert any("planted" in line for line in one)
        assert len(readers() - before) == 1


def readers() -> set[threading.Thread]:
    """Return the threads that read events; services of earlier tests in this process may have one each."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("events")}


def test_revoked_token_ends_its_streams(fleet: Fleet) -> None:
    with fleet.database.write() as session:
        token, plain = tokens.create(session, "viewer", "laptop")
    headers = {"Authorization": f"Bearer {plain}"}
    with fleet.served.client() as client, client.stream("GET", "/api/v1/events", headers=headers) as stream:
        until(lambda: hub_of(fleet).streams == 1, "the stream")
        with fleet.database.write() as session:
            tokens.revoke(session, token.id)
        list(stream.iter_lines())  # ends


def test_logout_ends_the_streams_of_a_session_and_no_other(fleet: Fleet) -> None:
    with fleet.database.write() as session:
        cookies = [sessions.open_by_code(session, sessions.create_code(session, "viewer")) for _ in range(2)]
    with ExitStack() as streams:
        both = []
        for cookie in cookies:
            client = streams.enter_context(
                httpx.Client(base_url=fleet.served.url, cookies={sessions.COOKIE: cookie}, timeout=GENEROUS_SECONDS)
            )
            both.append(streams.enter_context(client.stream("GET", "/api/v1/events")))
        until(lambda: hub_of(fleet).streams == 2, "both streams")
        with fleet.database.write() as session:
            sessions.close(session, cookies[0])
        list(both[0].iter_lines())
        note_event(fleet, None)
        assert any("planted" in line for line in both[1].iter_lines())


@pytest.mark.long
def test_stream_of_a_revoked_agent_ends(fleet: Fleet) -> None:
    with fleet.agent.stream("GET", "/api/v1/events") as stream:
        assert stream.status_code == 200
        fleet.execute(update(Agent).values(revoked_at=now()))
        list(stream.iter_lines())


@pytest.mark.long
def test_stream_ends_with_a_run_that_ends_without_an_event(fleet: Fleet) -> None:
    run_id = fleet.lay_out()
    with fleet.submitter.stream("GET", f"/api/v1/runs/{run_id}/events") as stream:
        lines = stream.iter_lines()
        assert any("progress" in line for line in lines)
        fleet.execute(update(Run).where(Run.id == run_id).values(state="cancelled"))
        list(lines)


def test_long_backlog_is_sent_in_order_and_then_the_present(fleet: Fleet) -> None:
    run_id = fleet.lay_out()
    with fleet.database.write() as session:
        for number in range(1200):
            repository.note(session, "agent-state", run_id, state=f"planted {number}")
    with fleet.submitter.stream("GET", f"/api/v1/runs/{run_id}/events", headers={"Last-Event-ID": "0"}) as stream:
        seen = []
        for line in stream.iter_lines():
            if '"planted ' in line:
                seen.append(int(line.rpartition("planted ")[2].split('"')[0]))
            if len(seen) == 1200:
                note_event(fleet, run_id)
            if '"planted"' in line:
                break
    assert seen == list(range(1200))
