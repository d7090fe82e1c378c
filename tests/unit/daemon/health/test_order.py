from orchestrator.daemon.health.order import CheckOrder


class TestCheckOrder:
    def test_it_is_begun_once(self) -> None:
        order = CheckOrder(lambda: 10.0)
        assert not order.begin(0)
        order.hear(True, asked_at=10.0)
        assert order.begin(0)
        order.hear(True, asked_at=11.0)
        assert not order.begin(0)

    def test_an_answer_from_before_the_report_is_old_news(self) -> None:
        """The heartbeat was sent before the service had the check, and answered after."""
        order = CheckOrder(lambda: 20.0)
        order.hear(True, asked_at=10.0)
        order.begin(0)
        order.settle()
        order.hear(True, asked_at=19.0)
        assert not order.begin(0)
        order.hear(True, asked_at=21.0)
        assert order.begin(0)

    def test_what_cannot_be_made_rests(self) -> None:
        order = CheckOrder(lambda: 20.0)
        order.settle(rest_seconds=60.0)
        order.hear(True, asked_at=79.0)
        assert not order.begin(0)
        order.hear(True, asked_at=81.0)
        assert order.begin(0)

    def test_what_is_no_longer_wanted_is_forgotten(self) -> None:
        order = CheckOrder(lambda: 0.0)
        order.hear(True, asked_at=1.0)
        order.hear(False, asked_at=2.0)
        assert not order.begin(0)
