import threading

import pytest

from orchestrator.daemon.session.fair_lock import FairLock


class TestFairLock:
    def test_lock_is_granted_in_the_order_of_requests(self) -> None:
        """Ten threads request the lock one after another while it is held; a plain lock guarantees no order."""
        lock, order, threads = FairLock(), list[int](), list[threading.Thread]()

        def work(number: int) -> None:
            with lock.held():
                order.append(number)

        with lock.held():
            for number in range(10):
                threads.append(threading.Thread(target=work, args=(number,)))
                threads[-1].start()
                while len(lock._queue) <= number + 1:
                    pass
        for thread in threads:
            thread.join()

        assert order == list(range(10))

    def test_repeated_holder_does_not_starve_another_thread(self) -> None:
        """One thread takes the lock again and again without a pause; the other gets it second."""
        lock, holders = FairLock(), list[str]()
        waits = threading.Event()

        def other() -> None:
            waits.set()
            with lock.held():
                holders.append("other")

        thread = threading.Thread(target=other)
        with lock.held():
            thread.start()
            waits.wait()
            while len(lock._queue) < 2:
                pass
        for _ in range(100):
            with lock.held():
                holders.append("eager")
        thread.join()

        assert holders[0] == "other"

    def test_failing_block_releases_the_lock(self) -> None:
        lock = FairLock()
        with pytest.raises(ZeroDivisionError), lock.held():
            raise ZeroDivisionError

        with lock.held():
            assert len(lock._queue) == 1
