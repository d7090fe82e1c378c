from orchestrator.daemon.builds.orders import REJECTED_REST_SECONDS, BuildOrders
from orchestrator.daemon.session.orders import Orders
from orchestrator.wire.builds import BuildOrder


def order(request_id: int) -> BuildOrder:
    return BuildOrder(request_id=request_id, toolchain={"compiler": "gcc"})


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class TestBuildOrders:
    def test_running_order_is_not_started_again(self) -> None:
        orders = BuildOrders()
        for _ in range(3):
            orders.update([order(1)], [], sent_at=1)
            orders.start_next(0)

        assert orders.start_next(0) is None

    def test_finished_order_in_an_outdated_response_is_ignored(self) -> None:
        """The response to a heartbeat sent before the outcome was accepted still names the order."""
        clock = Clock()
        orders = BuildOrders(clock)
        orders.update([order(1)], [], sent_at=clock.now)
        orders.start_next(0)
        sent_at, clock.now = clock.now, 101.0
        orders.finish()

        orders.update([order(1)], [], sent_at)
        assert orders.start_next(0) is None

    def test_finished_order_in_a_later_response_starts_again(self) -> None:
        """A user installed the missing compiler and submitted the plan again."""
        clock = Clock()
        orders = BuildOrders(clock)
        orders.update([order(1)], [], sent_at=clock.now)
        orders.start_next(0)
        orders.finish()

        orders.update([order(1)], [], sent_at=clock.now + 2)
        assert orders.start_next(0) == order(1)

    def test_rejected_order_is_ignored_for_a_minute(self) -> None:
        clock = Clock()
        orders = BuildOrders(clock)
        orders.update([order(1)], [], sent_at=clock.now)
        orders.start_next(0)
        orders.finish(REJECTED_REST_SECONDS)

        orders.update([order(1)], [], sent_at=clock.now + 30)
        assert orders.start_next(0) is None
        orders.update([order(1)], [], sent_at=clock.now + 61)
        assert orders.start_next(0) == order(1)

    def test_requeued_order_is_the_next_one(self) -> None:
        orders = BuildOrders()
        orders.update([order(1), order(2)], [], sent_at=1)
        orders.start_next(0)
        orders.requeue()

        assert orders.start_next(0) == order(1)

    def test_order_missing_from_the_latest_response_is_not_started(self) -> None:
        """The run that needed the build was cancelled."""
        orders = BuildOrders()
        orders.update([order(1), order(2)], ["aa"], sent_at=1)
        orders.update([order(2)], ["bb"], sent_at=2)

        assert orders.start_next(0) == order(2)
        assert orders.start_next(0) is None
        assert orders.kept_builds == {"bb"}

    def test_finish_of_an_order_that_was_not_started_ends_it(self) -> None:
        """A daemon checks its health at its start, before the response to its first heartbeat requests it."""
        orders = Orders[bool](lambda: 20.0)
        orders.replace({0: True}, sent_at=10.0)
        orders.finish(number=0)
        assert orders.start_next(0) is None
        orders.replace({0: True}, sent_at=19.0)
        assert orders.start_next(0) is None
        orders.replace({0: True}, sent_at=21.0)
        assert orders.start_next(0)
