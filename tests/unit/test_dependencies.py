"""Objects kept with the application are created once and shared by all requests."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import httpx
from fastapi import Depends, FastAPI

from orchestrator.database.engine import Database
from orchestrator.service.dependencies import kept_with_application
from orchestrator.shared.settings import ServiceSettings


class _Counter:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests = 0


_CounterDep = Annotated[
    _Counter, Depends(kept_with_application(lambda _database, settings: _Counter(settings.data_folder)))
]


def _count(counter: _CounterDep) -> dict[str, object]:
    counter.requests += 1
    return {"folder": str(counter.folder), "requests": counter.requests}


def _application(folder: Path) -> FastAPI:
    app = FastAPI()
    app.state.settings = ServiceSettings(data_folder=folder)
    app.state.database = Database("sqlite://")
    app.state.kept_objects = {}
    app.get("/count")(_count)
    return app


def _responses(app: FastAPI, requests: int) -> list[Any]:
    async def _send() -> list[Any]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client:
            return [(await client.get("/count")).json() for _ in range(requests)]

    return asyncio.run(_send())


def test_kept_object_is_shared_by_requests_and_not_by_applications(tmp_path: Path) -> None:
    first, second = _application(tmp_path / "a"), _application(tmp_path / "b")

    assert [response["requests"] for response in _responses(first, requests=3)] == [1, 2, 3]
    assert _responses(second, requests=1) == [{"folder": str(tmp_path / "b"), "requests": 1}]
