import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from orchestrator.daemon.session.machine_lock import MachineLock, Preempted, SpareTime
from tests.support.waiting import GENEROUS_SECONDS, until


def never() -> bool:
    return False


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=4) as pool:
        yield pool


class TestMachineLock:
    def test_lock_is_granted_in_the_order_of_requests(self) -> None:
        """Ten threads request the lock one after another while it is held; a plain lock guarantees no order."""
        lock, order, threads = MachineLock(), list[int](), list[threading.Thread]()

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
        lock, holders = MachineLock(), list[str]()
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
        lock = MachineLock()
        with pytest.raises(ZeroDivisionError), lock.held():
            raise ZeroDivisionError

        with lock.held():
            assert len(lock._queue) == 1


class TestSpareTime:
    def test_job_gets_the_lock_when_the_build_pauses_and_the_build_continues_after_it(
        self, pool: ThreadPoolExecutor
    ) -> None:
        lock, events = MachineLock(idle_seconds=0), list[str]()

        def job() -> None:
            with lock.held():
                events.append("job")
                assert lock._spare is not None
                assert not lock._spare.active

        with lock.spare_time(never) as spare:
            working = pool.submit(job)
            until(spare.is_over, "the request of the job")
            assert events == []
            spare.wait_for_turn()
            events.append("build")
        working.result(GENEROUS_SECONDS)
        assert events == ["job", "build"]

    def test_build_stays_paused_between_the_jobs_of_a_run(self) -> None:
        seconds = [100.0]
        lock = MachineLock(idle_seconds=2, clock=lambda: seconds[0])
        with lock.held():
            pass
        assert lock._idle_left() == 2
        seconds[0] += 1.5
        with lock.held():
            pass
        seconds[0] += 1.5
        assert lock._idle_left() == 0.5

    def test_paused_time_does_not_count(self, pool: ThreadPoolExecutor) -> None:
        lock = MachineLock(idle_seconds=0)
        entered, leave = threading.Event(), threading.Event()

        def job() -> None:
            with lock.held():
                entered.set()
                leave.wait(GENEROUS_SECONDS)

        with lock.spare_time(never) as spare:
            working = pool.submit(job)
            until(spare.is_over, "the request of the job")
            before = spare.clock()
            waiting = pool.submit(spare.wait_for_turn)
            assert entered.wait(GENEROUS_SECONDS)
            until(lambda: spare.clock() > before, "time that passes while the job runs")
            leave.set()
            waiting.result(GENEROUS_SECONDS)
            working.result(GENEROUS_SECONDS)
            assert spare._paused_seconds > 0

    def test_stopped_build_gives_up_its_wait(self) -> None:
        lock = MachineLock(idle_seconds=0)
        with lock.held(), pytest.raises(Preempted), lock.spare_time(lambda: True):
            pass
        assert lock._spare is None

    def test_preempted_build_ends_before_the_job_continues(self, pool: ThreadPoolExecutor) -> None:
        lock, ended = MachineLock(idle_seconds=0), threading.Event()
        turns = list[SpareTime]()

        def build() -> None:
            try:
                with lock.spare_time(never) as spare:
                    turns.append(spare)
                    until(spare.is_over, "the request of the job")
                    spare.wait_for_turn()
            except Preempted:
                ended.set()

        building = pool.submit(build)
        until(lambda: turns, "the start of the build")
        with lock.held():
            lock.preempt()
        building.result(GENEROUS_SECONDS)
        assert ended.is_set()
