from orchestrator.daemon.builds.orders import BuildOrders
from orchestrator.wire.builds import BuildOrder


def order(request_id: int) -> BuildOrder:
    return BuildOrder(request_id=request_id, toolchain={"compiler": "gcc"})


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class TestBuildOrders:
    def test_they_are_worked_on_in_the_order_of_the_answer(self) -> None:
        orders = BuildOrders()
        orders.hear([order(3), order(1)], [], asked_at=1)

        assert [found.request_id for found in (orders.begin(0), orders.begin(0)) if found] == [3, 1]
        assert orders.begin(0) is None

    def test_an_order_in_work_is_not_begun_again(self) -> None:
        orders = BuildOrders()
        for _ in range(3):
            orders.hear([order(1)], [], asked_at=1)
            orders.begin(0)

        assert orders.begin(0) is None

    def test_an_answer_that_crossed_the_outcome_is_old_news(self) -> None:
        """A heartbeat sent before the outcome was accepted still names the order in its answer."""
        clock = Clock()
        orders = BuildOrders(clock)
        orders.hear([order(1)], [], asked_at=clock.now)
        orders.begin(0)
        asked_at, clock.now = clock.now, 101.0
        orders.settle()

        orders.hear([order(1)], [], asked_at)
        assert orders.begin(0) is None

    def test_an_order_told_later_was_opened_again(self) -> None:
        """Somebody installed the missing compiler and submitted the plan again."""
        clock = Clock()
        orders = BuildOrders(clock)
        orders.hear([order(1)], [], asked_at=clock.now)
        orders.begin(0)
        orders.settle()

        orders.hear([order(1)], [], asked_at=clock.now + 2)
        assert orders.begin(0) == order(1)

    def test_what_the_service_refused_rests_for_a_minute(self) -> None:
        clock = Clock()
        orders = BuildOrders(clock)
        orders.hear([order(1)], [], asked_at=clock.now)
        orders.begin(0)
        orders.refuse()

        orders.hear([order(1)], [], asked_at=clock.now + 30)
        assert orders.begin(0) is None
        orders.hear([order(1)], [], asked_at=clock.now + 61)
        assert orders.begin(0) == order(1)

    def test_an_order_that_was_left_is_the_next_one(self) -> None:
        orders = BuildOrders()
        orders.hear([order(1), order(2)], [], asked_at=1)
        orders.begin(0)
        orders.put_back()

        assert orders.begin(0) == order(1)

    def test_what_is_no_longer_told_is_not_made(self) -> None:
        """The run that wanted it was cancelled."""
        orders = BuildOrders()
        orders.hear([order(1), order(2)], ["aa"], asked_at=1)
        orders.hear([order(2)], ["bb"], asked_at=2)

        assert orders.begin(0) == order(2)
        assert orders.begin(0) is None
        assert orders.kept == {"bb"}
