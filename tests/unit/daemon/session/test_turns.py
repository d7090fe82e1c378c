import threading

import pytest

from orchestrator.daemon.session.turns import Turns


class TestTurns:
    def test_they_are_granted_in_the_order_of_asking(self) -> None:
        """Ten threads ask one after the other while the turn is taken; a plain lock would let them in as it likes."""
        turns, order, threads = Turns(), list[int](), list[threading.Thread]()

        def work(number: int) -> None:
            with turns.take():
                order.append(number)

        with turns.take():
            for number in range(10):
                threads.append(threading.Thread(target=work, args=(number,)))
                threads[-1].start()
                while len(turns._queue) <= number + 1:
                    pass
        for thread in threads:
            thread.join()

        assert order == list(range(10))

    def test_an_eager_holder_does_not_starve_the_other(self) -> None:
        """One thread takes turn after turn without a pause; the other gets the second one."""
        turns, taken = Turns(), list[str]()
        waits = threading.Event()

        def other() -> None:
            waits.set()
            with turns.take():
                taken.append("other")

        thread = threading.Thread(target=other)
        with turns.take():
            thread.start()
            waits.wait()
            while len(turns._queue) < 2:
                pass
        for _ in range(100):
            with turns.take():
                taken.append("eager")
        thread.join()

        assert taken[0] == "other"

    def test_a_block_that_fails_gives_the_turn_back(self) -> None:
        turns = Turns()
        with pytest.raises(ZeroDivisionError), turns.take():
            raise ZeroDivisionError

        with turns.take():
            assert len(turns._queue) == 1
