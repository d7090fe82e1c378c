"""Dispatch, outbox, lost jobs, and pruning, with a real SQLite file."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Executable, delete, select, update

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Event, Execution, Job, Outbox, Run, now
from orchestrator.scheduler.dispatch import dispatch, flush, resend_lost_jobs
from orchestrator.scheduler.prune import prune_events
from orchestrator.shared.errors import Unavailable
from orchestrator.wire import jobs as wire
from tests.support.queued_jobs import AGENT, fill_agent, fill_run


def states(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(select(Job.state).order_by(Job.id)))


def outbox(database: Database) -> list[int]:
    with database.read() as session:
        return list(session.scalars(select(Outbox.job_id).order_by(Outbox.id)))


def execute(database: Database, statement: Executable) -> None:
    with database.write() as session:
        session.execute(statement)


class TestDispatch:
    def test_dispatch_fills_the_window_again_when_a_job_has_ended(self, database: Database) -> None:
        fill_agent(database)
        jobs = fill_run(database, jobs=5)
        assert dispatch(database, now()) == 2
        assert states(database) == ["sent", "sent", "waiting", "waiting", "waiting"]
        assert outbox(database) == jobs[:2]
        assert dispatch(database, now()) == 0
        execute(database, update(Job).where(Job.id == jobs[0]).values(state="done"))
        assert dispatch(database, now()) == 1
        assert states(database) == ["done", "sent", "sent", "waiting", "waiting"]

    def test_priority_takes_precedence_over_age(self, database: Database) -> None:
        fill_agent(database)
        fill_run(database, "oldoldoldold", jobs=2)
        urgent = fill_run(database, "newnewnewnew", jobs=2, priority=0)
        dispatch(database, now())
        assert outbox(database) == urgent

    @pytest.mark.parametrize("state", ["planned", "paused", "cancelled"])
    def test_only_jobs_of_running_runs_are_sent(self, database: Database, state: str) -> None:
        fill_agent(database)
        fill_run(database)
        execute(database, update(Run).values(state=state))
        assert dispatch(database, now()) == 0

    @pytest.mark.parametrize(
        "agent",
        [
            {"approved": False},
            {"revoked": True},
            {"last_heartbeat_at": now() - timedelta(minutes=1)},
            {"health": "quarantined"},
        ],
    )
    def test_only_serving_agents_get_jobs(self, database: Database, agent: dict[str, bool]) -> None:
        fill_agent(database, **agent)  # type: ignore[arg-type]
        fill_run(database)
        assert dispatch(database, now()) == 0

    @pytest.mark.parametrize("health", ["unchecked", "healthy", "degraded"])
    def test_agents_in_other_health_states_get_jobs(self, database: Database, health: str) -> None:
        fill_agent(database, health=health)
        fill_run(database)
        assert dispatch(database, now()) == 1


class TestFlush:
    def test_each_entry_is_sent_once(self, database: Database) -> None:
        fill_agent(database)
        jobs = fill_run(database, jobs=2)
        dispatch(database, now())
        sent: list[wire.JobMessage] = []
        assert flush(database, sent.append) == 2
        assert [job.job_id for job in sent] == jobs
        assert sent[0].agent_id == AGENT
        assert [(e.case_id, e.repetition) for e in sent[0].executions] == [(sent[0].cases[0].case_id, 1)]
        assert flush(database, sent.append) == 0

    def test_entries_stay_while_redis_is_unreachable(self, database: Database) -> None:
        fill_agent(database)
        jobs = fill_run(database, jobs=2)
        dispatch(database, now())
        tried = []

        def refuse(job: wire.JobMessage) -> None:
            tried.append(job.job_id)
            raise Unavailable("Redis is away.")

        assert flush(database, refuse) == 0
        assert tried == jobs[:1]
        assert outbox(database) == jobs
        with database.read() as session:
            first = session.scalars(select(Outbox).order_by(Outbox.id)).first()
        assert first is not None
        assert (first.tries, first.last_error) == (1, "Redis is away.")

    def test_cancelled_job_is_not_sent(self, database: Database) -> None:
        fill_agent(database)
        fill_run(database)
        dispatch(database, now())
        execute(database, update(Job).values(state="cancelled"))
        assert flush(database, lambda job: pytest.fail(f"sent {job.job_id}")) == 0
        assert outbox(database) == []

    def test_job_without_missing_executions_is_done(self, database: Database) -> None:
        fill_agent(database)
        fill_run(database)
        dispatch(database, now())
        execute(database, update(Execution).values(state="ok"))
        assert flush(database, lambda job: pytest.fail(f"sent {job.job_id}")) == 0
        assert states(database) == ["done"]
        with database.read() as session:
            assert session.scalar(select(Run.state)) == "finished"


class TestResendLostJobs:
    @staticmethod
    def prepare(database: Database, *, state: str, idle_since: datetime | None, sent_at: datetime) -> int:
        fill_agent(database, idle_since=idle_since)
        (job,) = fill_run(database)
        dispatch(database, now())
        execute(database, delete(Outbox))
        execute(database, update(Job).values(state=state, sent_at=sent_at))
        return job

    @pytest.mark.parametrize("state", ["sent", "running"])
    def test_lost_jobs_of_an_idle_agent_are_resent(self, database: Database, state: str) -> None:
        past = now() - timedelta(seconds=10)
        job = self.prepare(database, state=state, idle_since=past, sent_at=past)
        assert resend_lost_jobs(database, 4, now()) == 1
        assert outbox(database) == [job]
        # A job in work stays so: the claim of another session must see that the former one crashed.
        assert states(database) == [state]
        assert resend_lost_jobs(database, 4, now()) == 0

    def test_busy_agent_gets_no_job_again(self, database: Database) -> None:
        self.prepare(database, state="running", idle_since=None, sent_at=now() - timedelta(hours=1))
        assert resend_lost_jobs(database, 4, now()) == 0

    @pytest.mark.parametrize(("idle_s", "sent_s"), [(1, 3600), (3600, 1)], ids=["recently idle", "recently sent"])
    def test_recent_change_is_waited_for(self, database: Database, idle_s: int, sent_s: int) -> None:
        moment = now()
        idle_since, sent_at = moment - timedelta(seconds=idle_s), moment - timedelta(seconds=sent_s)
        self.prepare(database, state="sent", idle_since=idle_since, sent_at=sent_at)
        assert resend_lost_jobs(database, 4, moment) == 0

    def test_quarantined_agent_gets_no_job_again(self, database: Database) -> None:
        past = now() - timedelta(seconds=10)
        job = self.prepare(database, state="running", idle_since=past, sent_at=past)
        execute(database, update(Agent).values(health="quarantined"))
        assert resend_lost_jobs(database, 4, now()) == 0
        execute(database, update(Agent).values(health="healthy"))
        assert resend_lost_jobs(database, 4, now()) == 1
        assert outbox(database) == [job]

    def test_silent_agent_gets_no_job_again(self, database: Database) -> None:
        past = now() - timedelta(hours=1)
        self.prepare(database, state="running", idle_since=past, sent_at=past)
        execute(database, update(Agent).values(last_heartbeat_at=past))
        assert resend_lost_jobs(database, 4, now()) == 0


class TestPruneEvents:
    def test_oldest_events_are_deleted_a_thousand_per_call(self, database: Database) -> None:
        with database.write() as session:
            session.add_all(Event(kind="progress", data={}) for _ in range(3000))
        assert prune_events(database, kept=500) == 1000
        assert prune_events(database, kept=500) == 1000
        assert prune_events(database, kept=500) == 0
        with database.read() as session:
            assert len(session.scalars(select(Event.id)).all()) == 1000
