"""Work beyond the slots is refused immediately, with a pause."""

import asyncio
from dataclasses import replace

import pytest

from orchestrator.service.server.admission import GateLimits, RequestGate, WorkSlots
from orchestrator.shared.errors import Overloaded


class TestWorkSlots:
    def test_second_piece_of_work_is_refused_with_a_pause(self) -> None:
        slots = WorkSlots(1, 0.01, 7, "plans")
        with slots.taken(), pytest.raises(Overloaded, match="busy with other plans") as refusal, slots.taken():
            pass
        assert refusal.value.facts == {"retry_after_seconds": 7}

    def test_slot_is_free_after_an_error(self) -> None:
        slots = WorkSlots(1, 0.01, 7, "plans")
        with pytest.raises(ValueError, match="planned"), slots.taken():
            raise ValueError("planned")
        with slots.taken():
            pass


LIMITS = GateLimits(running=3, reserved=1, waiting=2, wait_seconds=0.05, retry_after_seconds=4)


class Work:
    """Requests inside of a gate, which end when the test requests it."""

    def __init__(self, gate: RequestGate) -> None:
        self.gate = gate
        self.entered: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.ends: dict[str, asyncio.Event] = {}

    async def begin(self, *names: str) -> None:
        """Begin requests; a name that begins with d is a daemon's."""
        for name in names:
            self.ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._run(name))
        await self.turn()

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await self.tasks[name]
        await self.turn()

    async def turn(self) -> None:
        """Let every task proceed to where it waits."""
        for _ in range(10):
            await asyncio.sleep(0)

    async def _run(self, name: str) -> None:
        async with self.gate.entered(of_daemon=name.startswith("d")):
            self.entered.append(name)
            await self.ends[name].wait()


class TestRequestGate:
    def test_daemons_have_a_reserve_and_precede_others(self) -> None:
        async def scenario() -> None:
            work = Work(RequestGate(replace(LIMITS, wait_seconds=60)))
            await work.begin("p1", "p2", "p3")
            assert work.entered == ["p1", "p2"]
            await work.begin("d1", "d2")
            assert work.entered == ["p1", "p2", "d1"]
            await work.end("p1")
            assert work.entered[3:] == ["d2"]
            await work.end("d1")
            await work.end("d2")
            assert work.entered[4:] == ["p3"]
            await work.end("p2")
            await work.end("p3")
            assert work.gate.running == 0

        asyncio.run(scenario())

    def test_request_beyond_the_queue_is_refused_immediately(self) -> None:
        async def scenario() -> None:
            work = Work(RequestGate(replace(LIMITS, wait_seconds=60)))
            await work.begin("p1", "p2", "p3", "p4", "p5")
            with pytest.raises(Overloaded) as refusal:
                await work.tasks["p5"]
            assert refusal.value.facts == {"retry_after_seconds": 4}
            for name in ("p1", "p2", "p3", "p4"):
                await work.end(name)
            assert work.gate.running == 0

        asyncio.run(scenario())

    def test_request_that_waits_beyond_the_deadline_is_refused(self) -> None:
        async def scenario() -> None:
            work = Work(RequestGate(LIMITS))
            await work.begin("p1", "p2", "p3")
            with pytest.raises(Overloaded):
                await work.tasks["p3"]
            await work.end("p1")
            await work.begin("p4")
            assert work.entered == ["p1", "p2", "p4"]
            await work.end("p2")
            await work.end("p4")
            assert work.gate.running == 0

        asyncio.run(scenario())

    def test_cancelled_request_gives_its_place_back(self) -> None:
        async def scenario() -> None:
            work = Work(RequestGate(replace(LIMITS, wait_seconds=60)))
            await work.begin("p1", "p2", "p3", "p4")
            work.tasks["p3"].cancel()
            await work.turn()
            await work.end("p1")
            assert work.entered == ["p1", "p2", "p4"]
            work.tasks["p4"].cancel()
            await work.turn()
            await work.end("p2")
            assert work.gate.running == 0

        asyncio.run(scenario())
