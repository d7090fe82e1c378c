from orchestrator.daemon.session.status import Status, with_undelivered


class TestStatus:
    def test_stop_order_applies_to_an_accepted_job_until_it_is_left(self) -> None:
        status = Status()
        with status.accept(4) as job:
            status.order_stop(4, "paused")
            assert job.stop_reason() == "paused"

        with status.accept(4) as job:
            assert job.stop_reason() is None

    def test_claim_clears_earlier_stop_orders(self) -> None:
        """A paused job that waited for the machine is claimed after its run was resumed."""
        status = Status()
        with status.accept(4) as job:
            status.order_stop(4, "paused")
            job.start(2)

            assert job.stop_reason() is None

    def test_stop_order_for_another_job_is_ignored(self) -> None:
        status = Status()
        with status.accept(4) as job:
            status.order_stop(5, "cancelled")
            assert job.stop_reason() is None
        with status.accept(5) as job:
            assert job.stop_reason() is None

    def test_only_a_cancellation_kills_the_runner(self) -> None:
        kills: list[str] = []
        status = Status()
        with status.accept(4) as job:
            job.on_cancel = lambda: kills.append("killed")

            status.order_stop(4, "paused")
            assert kills == []
            status.order_stop(4, "cancelled")
            assert kills == ["killed"]

    def test_shutdown_stops_every_job_and_a_cancellation_takes_precedence(self) -> None:
        status = Status()
        with status.accept(4) as job:
            status.shut_down()
            assert job.stop_reason() == "shutdown"
            status.order_stop(4, "cancelled")
            assert job.stop_reason() == "cancelled"

    def test_snapshot_shows_the_progress_of_the_job(self) -> None:
        status = Status()
        status.report("ready")
        with status.accept(4) as job:
            assert status.snapshot().state == "ready"
            job.start(2)
            job.report_progress(31, 40)

            snapshot = status.snapshot()
            assert (snapshot.state, snapshot.activity) == ("executing", "job 4: 31 of 40")
            assert [(held.job_id, held.attempt, held.done) for held in snapshot.held] == [(4, 2, 31)]
        assert (status.snapshot().state, status.snapshot().held) == ("ready", ())

    def test_snapshot_limits_the_length_of_the_description(self) -> None:
        status = Status()
        status.report("preparing", "x" * 500)

        assert len(status.snapshot().activity) == 200

    def test_jobs_with_undelivered_records_are_listed_as_held(self) -> None:
        status = Status()
        with status.accept(4) as job:
            job.start(2)
            held = with_undelivered(status.snapshot(), {4, 7}).held

        assert [(job.job_id, job.attempt) for job in held] == [(4, 2), (7, 0)]
