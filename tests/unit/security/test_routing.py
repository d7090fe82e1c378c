"""Routes authenticate, then limit, then read, then parse: a refusal leaves the body where it is."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from pydantic import BaseModel

from orchestrator import problems
from orchestrator.database.engine import Database
from orchestrator.security import tokens
from orchestrator.security.bodies import DEFAULT_LIMIT, REPORT_LIMIT, BodyLimit, body_limit
from orchestrator.security.dependencies import SubmitterDep, ViewerDep
from orchestrator.security.routing import api_router
from orchestrator.server.admission import BodyBudget, BodyLimits, RequestGate
from orchestrator.settings import ServiceSettings

JSON = {"Content-Type": "application/json"}
LONGEST = REPORT_LIMIT.max_bytes + 1


class Given(BaseModel):
    """Body of an operation."""

    values: list[int]


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
        assert app.state.gate.bodies.held_bytes == 0


class TestBody:
    def test_caller_and_model_reach_the_endpoint(self, database: Database) -> None:
        answer = request(database, "POST", "/small", "submitter", json={"values": [1, 2]})
        assert answer.json() == {"values": 2, "caller": "submitter"}

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

    @pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{}", b"7"])
    def test_body_of_another_type_is_a_problem(self, database: Database, body: bytes) -> None:
        assert request(database, "POST", "/small", "submitter", content=body).status_code == 422

    def test_operation_without_a_body_checks_the_media_type(self, database: Database) -> None:
        assert request(database, "DELETE", "/nothing", "submitter").status_code == 200
        answer = request(database, "DELETE", "/nothing", "submitter", content=b"a=b", headers={"Content-Type": "x/y"})
        assert answer.status_code == 415
