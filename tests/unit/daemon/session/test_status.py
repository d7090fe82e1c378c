from orchestrator.daemon.session.status import Status, with_undelivered


class TestStatus:
    def test_an_order_for_a_held_job_is_kept_until_it_is_let_go(self) -> None:
        status = Status()
        status.hold(4, 1)
        status.order_stop(4, "paused")
        assert status.stop_reason(4) == "paused"

        status.let_go(4)
        status.hold(4, 2)
        assert status.stop_reason(4) is None

    def test_an_order_for_another_job_is_ignored(self) -> None:
        status = Status()
        status.hold(4, 1)
        status.order_stop(5, "cancelled")
        status.hold(5, 1)

        assert status.stop_reason(4) is None
        assert status.stop_reason(5) is None

    def test_only_a_cancellation_kills_the_runner(self) -> None:
        kills: list[str] = []
        status = Status()
        status.on_cancel = lambda: kills.append("killed")
        status.hold(4, 1)

        status.order_stop(4, "paused")
        assert kills == []
        status.order_stop(4, "cancelled")
        assert kills == ["killed"]

    def test_shutdown_stops_every_job_but_a_cancellation_counts_first(self) -> None:
        status = Status()
        status.hold(4, 1)
        status.shut_down()
        assert status.stop_reason(4) == "shutdown"
        status.order_stop(4, "cancelled")
        assert status.stop_reason(4) == "cancelled"

    def test_the_snapshot_counts_what_is_done(self) -> None:
        status = Status()
        status.hold(4, 2)
        status.advance(4, 31)
        status.tell("executing", "x" * 500)

        snapshot = status.snapshot()
        assert [(job.job_id, job.attempt, job.done) for job in snapshot.held] == [(4, 2, 31)]
        assert len(snapshot.activity) == 200

    def test_jobs_with_undelivered_records_count_as_held(self) -> None:
        status = Status()
        status.hold(4, 2)

        held = with_undelivered(status.snapshot(), {4, 7}).held

        assert [(job.job_id, job.attempt) for job in held] == [(4, 2), (7, 0)]
