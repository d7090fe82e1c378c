from orchestrator.daemon.health.check_request import HealthCheckRequest


class TestHealthCheckRequest:
    def test_request_starts_one_check(self) -> None:
        request = HealthCheckRequest(lambda: 10.0)
        assert not request.start(0)
        request.update(True, sent_at=10.0)
        assert request.start(0)
        request.update(True, sent_at=11.0)
        assert not request.start(0)

    def test_response_from_before_the_report_is_ignored(self) -> None:
        """The heartbeat was sent before the service had the check, and answered after."""
        request = HealthCheckRequest(lambda: 20.0)
        request.update(True, sent_at=10.0)
        request.start(0)
        request.finish()
        request.update(True, sent_at=19.0)
        assert not request.start(0)
        request.update(True, sent_at=21.0)
        assert request.start(0)

    def test_failed_check_is_not_repeated_during_the_rest(self) -> None:
        request = HealthCheckRequest(lambda: 20.0)
        request.finish(rest_seconds=60.0)
        request.update(True, sent_at=79.0)
        assert not request.start(0)
        request.update(True, sent_at=81.0)
        assert request.start(0)

    def test_withdrawn_request_starts_no_check(self) -> None:
        request = HealthCheckRequest(lambda: 0.0)
        request.update(True, sent_at=1.0)
        request.update(False, sent_at=2.0)
        assert not request.start(0)
