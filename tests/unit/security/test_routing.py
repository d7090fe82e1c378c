"""Routes authenticate, then limit, then read, then parse: a refusal leaves the body where it is."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from orchestrator.database.engine import Database
from orchestrator.service import problems
from orchestrator.service.security import tokens
from orchestrator.service.security.bodies import DEFAULT_LIMIT, REPORT_LIMIT, BodyLimit, body_limit
from orchestrator.service.security.dependencies import SubmitterDep, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.service.server.admission import (
    BodyBudget,
    BodyLimits,
    CallerLimits,
    CallerShares,
    RequestGate,
    never_refused,
)
from orchestrator.shared.settings import ServiceSettings

JSON = {"Content-Type": "application/json"}
LONGEST = REPORT_LIMIT.max_bytes + 1


class Given(BaseModel):
    """Body of an operation."""

    values: list[int]


class Filters(BaseModel):
    """Query parameters of a dependency."""

    agents: list[str] = []


def filters(query: Annotated[Filters, Query()]) -> dict[str, list[str]]:
    return query.model_dump()


def application(database: Database) -> FastAPI:
    app = FastAPI()
    app.state.database, app.state.settings, app.state.gate = database, ServiceSettings(), RequestGate()
    problems.install(app)
    router = api_router(tags=["test"])

    @router.post("/small")
    def small(body: Given, caller: SubmitterDep) -> dict[str, Any]:
        return {"values": len(body.values), "caller": caller.label}

    @router.post("/large")
    @body_limit(BodyLimit(LONGEST, 1_000_000))
    async def large(body: Given, request: Request, _caller: ViewerDep) -> dict[str, Any]:
        assert await request.body()
        return {"values": len(body.values)}

    @router.get("/found")
    def found(
        _caller: ViewerDep,
        narrowed: Annotated[dict[str, list[str]], Depends(filters)],
        searched: Annotated[str, Query(alias="q")] = "",
    ) -> dict[str, Any]:
        return {"q": searched, **narrowed}

    @router.delete("/nothing")
    def nothing(_caller: SubmitterDep) -> None:
        return None

    app.include_router(router)
    return app


@dataclass
class Body:
    """A body that counts how much of it was taken."""

    size_bytes: int
    taken_bytes: int = field(default=0, init=False)

    async def parts(self) -> AsyncIterator[bytes]:
        while self.taken_bytes < self.size_bytes:
            self.taken_bytes += 65_536
            yield b"[]," * 21_845 + b" "


def request(database: Database, method: str, path: str, role: tokens.Role | None = None, **options: Any) -> Any:
    headers = dict(JSON, **options.pop("headers", {}))
    if role is not None:
        with database.write() as session:
            headers["Authorization"] = f"Bearer {tokens.create(session, role, role)[1]}"

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(application(database))
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await client.request(method, path, headers=headers, **options)

    return asyncio.run(send())


class TestBeforeTheBody:
    @pytest.mark.parametrize(("role", "status"), [(None, 401), ("viewer", 403), ("agent", 403)])
    def test_body_of_an_unauthorized_caller_is_not_read(
        self, database: Database, role: tokens.Role | None, status: int
    ) -> None:
        # 60 MiB of [[],[],…] without a token took 2 GiB and stopped the service for a minute.
        body = Body(60 * 2**20)

        assert request(database, "POST", "/small", role, content=body.parts()).status_code == status
        assert body.taken_bytes == 0

    def test_announced_length_beyond_the_limit_is_refused_without_reading(self, database: Database) -> None:
        body = Body(100 * 2**20)
        headers = {"Content-Length": str(body.size_bytes)}

        answer = request(database, "POST", "/small", "submitter", content=body.parts(), headers=headers)
        assert (answer.status_code, body.taken_bytes) == (413, 0)
        assert answer.json()["type"] == "/problems/body-too-long"

    def test_unannounced_body_is_read_to_the_limit(self, database: Database) -> None:
        body = Body(100 * 2**20)

        assert request(database, "POST", "/small", "submitter", content=body.parts()).status_code == 413
        assert body.taken_bytes <= DEFAULT_LIMIT.max_bytes + 65_536


class TestQuery:
    """Regression: a misspelled filter was ignored, and the answer was that to another question."""

    def test_declared_parameters_are_accepted_wherever_they_are_declared(self, database: Database) -> None:
        answer = request(database, "GET", "/found?q=aes&agents=pi4&agents=pi5", "viewer")
        assert answer.json() == {"q": "aes", "agents": ["pi4", "pi5"]}

    def test_unknown_parameter_is_refused_with_the_names_that_exist(self, database: Database) -> None:
        answer = request(database, "GET", "/found?q=aes&agent=pi4", "viewer")
        assert (answer.status_code, answer.json()["field"]) == (422, "agent")
        assert answer.json()["remedy"] == "Expected: agents, q."


class TestBytesInFlight:
    """Regression: only the length of each body was limited, so that many of them took any amount of memory."""

    def test_long_body_beyond_the_budget_is_refused_and_its_bytes_are_given_back(self, database: Database) -> None:
        app = application(database)
        app.state.gate.bodies = BodyBudget(BodyLimits(total_bytes=800_000, reserved_bytes=100_000))
        long, short = json.dumps({"values": [7] * 200_000}).encode(), b'{"values": [1]}'
        with database.write() as session:
            token = tokens.create(session, "submitter", "submitter")[1]
        headers = JSON | {"Authorization": f"Bearer {token}"}

        async def send() -> list[httpx.Response]:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://service", headers=headers) as client:
                arrived, go_on = asyncio.Event(), asyncio.Event()

                async def half() -> AsyncIterator[bytes]:
                    yield long[: len(long) // 2]
                    arrived.set()
                    await go_on.wait()
                    yield long[len(long) // 2 :]

                slow = asyncio.create_task(client.post("/large", content=half()))
                await arrived.wait()
                refused = await client.post("/large", content=long)
                beside = await client.post("/small", content=short)
                go_on.set()
                first = await slow
                return [refused, beside, first, await client.post("/large", content=long)]

        refused, beside, first, later = asyncio.run(send())
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert refused.json()["type"] == "/problems/overloaded"
        assert (beside.status_code, first.status_code, later.status_code) == (200, 200, 200)


@dataclass
class Computing:
    """An application whose answers end when the test permits it, and one client for each caller."""

    database: Database
    limits: CallerLimits
    begun: list[str] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.app = application(self.database)
        self.app.state.gate.callers = CallerShares(self.limits)
        router = api_router(tags=["test"])

        @router.get("/answer")
        def answer(caller: ViewerDep) -> None:
            self.begun.append(caller.label)
            self.go_on.wait()

        @router.get("/download")
        def download(caller: ViewerDep) -> StreamingResponse:
            def blocks() -> Iterator[bytes]:
                self.begun.append(caller.label)
                self.go_on.wait()
                yield b"rows"

            return StreamingResponse(blocks())

        @router.get("/quick")
        def quick(_caller: ViewerDep) -> None:
            return None

        @router.get("/health")
        @never_refused
        async def health() -> None:
            return None

        self.app.include_router(router)

    @asynccontextmanager
    async def client(self, label: str) -> AsyncIterator[httpx.AsyncClient]:
        with self.database.write() as session:
            headers = {"Authorization": f"Bearer {tokens.create(session, 'viewer', label)[1]}"}
        transport = httpx.ASGITransport(self.app)
        async with AsyncExitStack() as opened:
            yield await opened.enter_async_context(
                httpx.AsyncClient(transport=transport, base_url="http://service", headers=headers)
            )
            self.go_on.set()

    async def until_begun(self, count: int) -> None:
        while len(self.begun) < count:
            await asyncio.sleep(0.001)


class TestRequestsOfOneCaller:
    """Regression: 40 answers of one caller held every place but those of daemons, and slowed the event loop."""

    LIMITS = CallerLimits(running=4, waiting=20, wait_seconds=600)

    @pytest.mark.parametrize("path", ["/answer", "/download"])
    def test_some_run_some_wait_and_the_others_are_refused(self, database: Database, path: str) -> None:
        computing = Computing(database, self.LIMITS)

        async def scenario() -> list[httpx.Response]:
            async with computing.client("busy") as busy, computing.client("other") as other:
                sent = [asyncio.create_task(busy.get(path)) for _ in range(40)]
                refused = []
                while len(refused) < 16:
                    done, _ = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
                    refused = [*done]
                await computing.until_begun(4)
                for client in (busy, other):
                    assert (await client.get("/health")).status_code == 200
                assert (await other.get("/quick")).status_code == 200
                assert computing.begun == ["busy"] * 4
                answers = [one.result() for one in refused]
                computing.go_on.set()
                assert [(await one).status_code for one in sent if one not in refused] == [200] * 24
                assert (await busy.get("/quick")).status_code == 200
            return answers

        refused = asyncio.run(scenario())
        assert {(one.status_code, one.headers["retry-after"]) for one in refused} == {(429, "2")}
        assert "4 requests of one caller" in refused[0].json()["detail"]
        assert "20 more are waiting" in refused[0].json()["detail"]
        assert computing.begun == ["busy"] * 24

    def test_request_that_waits_beyond_the_deadline_is_refused(self, database: Database) -> None:
        computing = Computing(database, CallerLimits(running=1, waiting=20, wait_seconds=0.01))

        async def scenario() -> httpx.Response:
            async with computing.client("busy") as busy:
                first = asyncio.create_task(busy.get("/answer"))
                await computing.until_begun(1)
                refused = await busy.get("/answer")
                computing.go_on.set()
                assert (await first).status_code == 200
            return refused

        refused = asyncio.run(scenario())
        assert (refused.status_code, refused.json()["type"]) == (429, "/problems/too-many-requests")
        assert computing.begun == ["busy"]


class TestBody:
    def test_long_body_of_an_anonymous_local_user_reaches_the_endpoint(self, database: Database) -> None:
        values = list(range(50_000))
        assert request(database, "POST", "/large", json={"values": values}).json() == {"values": 50_000}

    @pytest.mark.parametrize("count", [3, 50_000])
    def test_wrong_value_is_a_problem_with_its_field(self, database: Database, count: int) -> None:
        answer = request(database, "POST", "/large", json={"values": [*range(count), "x"]})
        assert (answer.status_code, answer.json()["field"]) == (422, f"values[{count}]")

    def test_too_many_values_are_refused(self, database: Database) -> None:
        answer = request(database, "POST", "/small", "submitter", content=b"[" + b"1," * 25_000 + b"1]")
        assert (answer.status_code, answer.json()["field"]) == (422, "body")

    @pytest.mark.parametrize("body", [b"", b"[]", b"{}"])
    def test_body_of_another_type_is_a_problem(self, database: Database, body: bytes) -> None:
        assert request(database, "POST", "/small", "submitter", content=body).status_code == 422

    def test_operation_without_a_body_checks_the_media_type(self, database: Database) -> None:
        assert request(database, "DELETE", "/nothing", "submitter").status_code == 200
        answer = request(database, "DELETE", "/nothing", "submitter", content=b"a=b", headers={"Content-Type": "x/y"})
        assert answer.status_code == 415
