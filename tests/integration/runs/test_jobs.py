"""Jobs after dispatch: claims, releases, crashes, pauses, cancellations and completion."""

from collections import Counter

from sqlalchemy import select, update

from orchestrator.agents.repository import list_stop_orders
from orchestrator.database.models import Agent, Case, Execution, Job
from orchestrator.runs.jobs.message import build_message
from orchestrator.runs.jobs.service import settle
from orchestrator.runs.scheduling.rounds import lay_out_rounds
from orchestrator.wire.plans import Conditions
from tests.support.fleet import Fleet

OTHERS = ["6" * 32, "7" * 32, "8" * 32, "9" * 32]


def _send(fleet: Fleet, run_id: str) -> list[int]:
    """Set every job of a run to sent, as dispatch does; return their ids."""
    fleet.execute(update(Job).where(Job.run_id == run_id).values(state="sent"))
    return [job["id"] for job in fleet.jobs(run_id)]


def _record(fleet: Fleet, job_id: int, count: int | None = None) -> None:
    """End the first executions of a job, as the ingestion of records does."""
    with fleet.database.write() as session:
        waiting = select(Execution.id).where(Execution.job_id == job_id, Execution.state == "waiting")
        ids = list(session.scalars(waiting.order_by(Execution.position).limit(count)))
        session.execute(update(Execution).where(Execution.id.in_(ids)).values(state="ok"))
        settle(session, [job_id])


def _state(fleet: Fleet, job_id: int) -> tuple[str, int]:
    with fleet.database.read() as session:
        job = session.get_one(Job, job_id)
        return job.state, job.attempts


def _lose(fleet: Fleet, job_id: int) -> None:
    """Claim a job by one session after another, as a daemon does that crashes each time, until it is lost."""
    assert [fleet.claim(job_id, session).status_code for session in OTHERS] == [200, 200, 200, 409]


def _stop_reasons(fleet: Fleet, run_id: str) -> set[str | None]:
    with fleet.database.read() as session:
        return set(session.scalars(select(Case.stop_reason).where(Case.run_id == run_id)))


def _be(fleet: Fleet, health: str) -> None:
    fleet.execute(update(Agent).values(health=health, health_reason="too hot"))


class TestClaim:
    def test_first_claim_starts_job_and_run_and_its_repetition_is_the_same_attempt(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        first, *_ = _send(fleet, run_id)
        assert fleet.run(run_id)["started_at"] is None
        assert [fleet.claim(first).json()["attempt"] for _ in range(5)] == [1] * 5
        assert _state(fleet, first) == ("running", 1)
        assert fleet.run(run_id)["started_at"] is not None

    def test_job_of_a_quarantined_agent_waits_without_an_attempt(self, fleet: Fleet) -> None:
        sent, started, *_ = _send(fleet, fleet.lay_out())
        fleet.claim(started, OTHERS[0])
        _be(fleet, "quarantined")
        refusals = [fleet.claim(job_id) for job_id in (sent, started)]
        assert [(answer.status_code, answer.json()["facts"]) for answer in refusals] == [(409, {"state": "paused"})] * 2
        assert "is quarantined: too hot" in refusals[0].json()["detail"]
        # The crashed start is counted when the agent serves again.
        assert [_state(fleet, sent), _state(fleet, started)] == [("waiting", 0), ("running", 1)]
        _be(fleet, "healthy")
        assert [fleet.claim(job_id).json()["attempt"] for job_id in (sent, started)] == [1, 2]

    def test_claim_by_another_session_counts_as_a_crash(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        first, *others = _send(fleet, run_id)
        answers = [fleet.claim(first, session) for session in OTHERS]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 409]
        assert [answer.json()["attempt"] for answer in answers[:3]] == [1, 2, 3]
        assert answers[3].json()["facts"] == {"state": "lost"}
        assert _state(fleet, first)[0] == "lost"
        for job_id in others:
            fleet.claim(job_id)
            _record(fleet, job_id)
        run = fleet.run(run_id)
        assert run["state"] == "failed"
        assert "1 job was lost" in run["reason"]

    def test_crash_after_a_new_record_does_not_count(self, fleet: Fleet) -> None:
        """Regression: three kills of the daemon lost a job although each attempt had delivered records (S5)."""
        run_id = fleet.lay_out(repetitions=60)
        first, *_ = _send(fleet, run_id)
        for attempt in range(1, 9):
            assert fleet.claim(first, f"{attempt:032x}").json()["attempt"] == attempt
            _record(fleet, first, count=1)
        # Without new records three crashes are the limit, wherever the job is.
        answers = [fleet.claim(first, session).status_code for session in OTHERS]
        assert answers == [200, 200, 200, 409]
        (reason,) = [job["reason"] for job in fleet.jobs(run_id) if job["id"] == first]
        assert "crashed 3 times in a row" in reason

    def test_claim_lists_the_executions_that_have_a_record(self, fleet: Fleet) -> None:
        """A daemon whose journal was damaged does not know which records were delivered."""
        first, *_ = _send(fleet, fleet.lay_out(repetitions=60))
        assert fleet.claim(first, OTHERS[0]).json()["recorded"] == []
        _record(fleet, first, count=2)
        assert fleet.claim(first, OTHERS[1]).json()["recorded"] == [0, 1]

    def test_release_does_not_count_as_an_attempt(self, fleet: Fleet) -> None:
        first, *_ = _send(fleet, fleet.lay_out())
        for session in OTHERS * 2:
            assert fleet.claim(first, session).json()["attempt"] == 1
            assert fleet.release(first, session).status_code == 204
            assert _state(fleet, first) == ("waiting", 0)

    def test_job_with_all_records_is_done(self, fleet: Fleet) -> None:
        first, *_ = _send(fleet, fleet.lay_out())
        fleet.execute(update(Execution).where(Execution.job_id == first).values(state="ok"))
        assert fleet.claim(first).json()["facts"] == {"state": "done"}
        assert _state(fleet, first)[0] == "done"

    def test_late_release_changes_nothing(self, fleet: Fleet) -> None:
        first, *_ = _send(fleet, fleet.lay_out())
        fleet.claim(first, OTHERS[0])
        fleet.claim(first, OTHERS[1])
        assert fleet.release(first, OTHERS[0]).status_code == 204
        assert _state(fleet, first) == ("running", 2)


class TestSettle:
    def test_last_record_ends_job_and_run_once(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        jobs = _send(fleet, run_id)
        fleet.claim(jobs[0])
        _record(fleet, jobs[0], count=1)
        assert _state(fleet, jobs[0])[0] == "running"
        for job_id in jobs:
            _record(fleet, job_id)
        assert {job["state"] for job in fleet.jobs(run_id)} == {"done"}
        run = fleet.run(run_id)
        assert (run["state"], run["progress"]["done"], run["progress"]["percent"]) == ("finished", 24, 100.0)
        assert run["finished_at"] is not None
        with fleet.database.write() as session:
            settle(session, jobs)
        assert fleet.run(run_id) == run


class TestMessage:
    def test_message_has_the_executions_without_a_record_in_order(self, fleet: Fleet) -> None:
        first, *_ = _send(fleet, fleet.lay_out())
        with fleet.database.read() as session:
            whole = build_message(session, first)
        assert whole is not None
        assert [execution.position for execution in whole.executions] == list(range(len(whole.executions)))
        _record(fleet, first, count=2)
        with fleet.database.read() as session:
            rest = build_message(session, first)
        assert rest is not None
        assert rest.executions == whole.executions[2:]
        assert {case.case_id for case in rest.cases} == {execution.case_id for execution in rest.executions}
        _record(fleet, first)
        with fleet.database.read() as session:
            assert build_message(session, first) is None

    def test_message_has_the_parameters_of_the_plan(self, fleet: Fleet) -> None:
        conditions = {"max_temperature_celsius": 70, "max_others_share": 0.02, "wait_seconds": 4}
        keys = {"memory": "apart", "warm_up": 1, "energy": {"window_seconds": 2, "windows": 1}}
        run_id = fleet.lay_out(**keys, conditions=conditions)
        with fleet.database.read() as session:
            messages = [build_message(session, job_id) for job_id in _send(fleet, run_id)]
        whole = [message for message in messages if message is not None]
        assert {(one.memory, one.energy_window_seconds) for one in whole} == {("apart", 2.0)}
        assert {one.conditions for one in whole} == {Conditions.model_validate(conditions)}
        purposes = Counter(execution.purpose for one in whole for execution in one.executions)
        assert purposes == {"warm-up": 8, "timing": 24, "memory": 24, "energy": 8}
        # A window is longer than a job of this fleet.
        assert all(len(one.executions) == 1 for one in whole if one.executions[0].purpose == "energy")


class TestPause:
    def test_pause_requeues_sent_jobs_and_stops_running_ones(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        first, second, *_ = _send(fleet, run_id)
        fleet.claim(first)
        assert fleet.change(run_id, "pause")["state"] == "paused"
        assert (_state(fleet, first)[0], _state(fleet, second)[0]) == ("running", "waiting")
        with fleet.database.read() as session:
            orders = list_stop_orders(session, fleet.agent_id, [first])
        assert [(order.job_id, order.reason) for order in orders] == [(first, "paused")]
        assert fleet.claim(second).json()["facts"] == {"state": "paused"}
        fleet.release(first, reason="paused")
        assert _state(fleet, first) == ("waiting", 0)
        assert fleet.change(run_id, "resume")["state"] == "running"
        assert fleet.claim(first).json()["attempt"] == 1

    def test_pause_may_be_repeated_and_is_refused_for_a_finished_run(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        for _ in range(2):
            assert fleet.submitter.post(f"/api/v1/runs/{run_id}/pause").status_code == 200
        for job_id in _send(fleet, run_id):
            _record(fleet, job_id)
        answer = fleet.submitter.post(f"/api/v1/runs/{run_id}/pause")
        assert answer.status_code == 409
        assert "The run is finished; to pause it, it must be planned or running." in answer.json()["detail"]


class TestCancel:
    def test_cancel_ends_open_jobs_and_orders_the_daemon_to_stop(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        first, second, *_ = _send(fleet, run_id)
        _record(fleet, first)
        fleet.claim(second)
        run = fleet.change(run_id, "cancel")
        assert (run["state"], run["reason"]) == ("cancelled", "Cancelled by request.")
        assert {job["state"] for job in fleet.jobs(run_id)} == {"done", "cancelled"}
        with fleet.database.read() as session:
            orders = list_stop_orders(session, fleet.agent_id, [first, second])
        # A done job needs no order; the run is cancelled, so that the daemon drops it in any case.
        assert {order.reason for order in orders} == {"cancelled"}
        assert second in {order.job_id for order in orders}
        assert fleet.claim(second).json()["facts"] == {"state": "cancelled"}

    def test_resume_continues_without_counting_a_crash(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        first, second, *others = _send(fleet, run_id)
        fleet.claim(first)
        _record(fleet, first, count=2)
        fleet.change(run_id, "cancel")
        _record(fleet, second)  # Records that were under way are stored, cancelled or not.
        assert fleet.run(run_id)["state"] == "cancelled"
        assert fleet.change(run_id, "resume")["state"] == "running"
        assert _state(fleet, first) == ("waiting", 0)
        assert _state(fleet, second)[0] == "done"
        for job_id in (first, *others):
            fleet.claim(job_id)
            _record(fleet, job_id)
        run = fleet.run(run_id)
        assert (run["state"], run["progress"]["done"]) == ("finished", 24)

    def test_resume_of_a_complete_cancelled_run_finishes_it(self, fleet: Fleet) -> None:
        run_id = fleet.lay_out()
        jobs = _send(fleet, run_id)
        fleet.change(run_id, "cancel")
        for job_id in jobs:
            _record(fleet, job_id)
        assert fleet.change(run_id, "resume")["state"] == "finished"


class TestResumeOfAFailedRun:
    def test_resume_sends_the_missing_executions_of_lost_jobs(self, fleet: Fleet) -> None:
        """Regression: a run that failed by a lost job could not be resumed (S5)."""
        run_id = fleet.lay_out()
        first, *others = _send(fleet, run_id)
        fleet.claim(first)
        _record(fleet, first, count=1)
        _lose(fleet, first)
        for job_id in others:
            fleet.claim(job_id)
            _record(fleet, job_id)
        assert fleet.run(run_id)["state"] == "failed"

        resumed = fleet.change(run_id, "resume")
        assert (resumed["state"], resumed["reason"], resumed["finished_at"]) == ("running", "", None)
        assert {job["state"] for job in fleet.jobs(run_id)} == {"waiting", "done"}
        with fleet.database.read() as session:
            message = build_message(session, first)
        assert message is not None
        assert len(message.executions) == next(job["executions_total"] for job in fleet.jobs(run_id)) - 1

        # The job has all its attempts again.
        assert fleet.claim(first, "a" * 32).status_code == 200
        _record(fleet, first)
        run = fleet.run(run_id)
        assert (run["state"], run["progress"]["done"]) == ("finished", 24)

    def test_resume_opens_the_cases_of_rounds_that_a_lost_job_stopped(self, fleet: Fleet) -> None:
        precision = {"relative_interval": 0.01, "max_repetitions": 40}
        run_id = fleet.lay_out(repetitions=6, precision=precision)
        first, *others = _send(fleet, run_id)
        _lose(fleet, first)
        for job_id in others:
            fleet.claim(job_id)
            _record(fleet, job_id)
        while lay_out_rounds(fleet.database, fleet.served.settings):
            pass
        assert fleet.run(run_id)["state"] == "failed"
        assert _stop_reasons(fleet, run_id) == {"lost"}

        fleet.change(run_id, "resume")
        assert _stop_reasons(fleet, run_id) == {None}
        fleet.claim(first, "a" * 32)
        _record(fleet, first)
        assert lay_out_rounds(fleet.database, fleet.served.settings) == 1
        assert "waiting" in {job["state"] for job in fleet.jobs(run_id)}
