"""A service with one agent that offers Crypto++ and Botan, and a small corpus."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Executable, select

from orchestrator.database.engine import Database
from orchestrator.database.models import Case, Execution
from orchestrator.runs.scheduling.service import lay_out_next
from orchestrator.service.security import tokens
from orchestrator.shared.settings import ServiceSettings
from orchestrator.shared.units import KIB
from tests.support import postgresql
from tests.support.live_service import Served, serve
from tests.support.migrated_database import migrated_settings
from tests.support.offers import SESSION, add_agent, add_chunks
from tests.support.untraced import untraced

KINDS = ("text", "video")
SIZES = (1 * KIB, 2 * KIB)


@dataclass(frozen=True)
class Fleet:
    """A service with one agent, and a client for each role."""

    served: Served
    agent_id: str
    submitter: httpx.Client
    agent: httpx.Client

    @property
    def database(self) -> Database:
        return self.served.database

    @property
    def owner_id(self) -> str:
        """Family of the submitter's token."""
        with self.database.read() as session:
            token = tokens.find(session, self.submitter.headers["Authorization"].removeprefix("Bearer "))
            assert token is not None
            return token.family_id

    def execute(self, statement: Executable) -> None:
        """Change the database as no endpoint does."""
        with self.database.write() as session:
            session.execute(statement)

    def submit(self, **given: Any) -> str:
        """Submit a plan of 8 cases and return the run's id."""
        answer = self.submitter.post("/api/v1/runs", json={"plan": plan(**given)})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def lay_out(self, **given: Any) -> str:
        """Submit a plan, lay the run out as the scheduler does, and return the run's id."""
        run_id = self.submit(**given)
        assert self.lay_out_next()
        return run_id

    def lay_out_next(self) -> bool:
        """Lay out one run as the scheduler does; return whether one was ready."""
        return lay_out_next(self.database, self.served.settings)

    def preview(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the preview of a plan."""
        answer = self.submitter.post("/api/v1/plans/preview", json={"plan": document})
        return dict(answer.raise_for_status().json())

    def change(self, run_id: str, change: str) -> dict[str, Any]:
        """Pause, resume or cancel a run, and return it."""
        return dict(self.submitter.post(f"/api/v1/runs/{run_id}/{change}").raise_for_status().json())

    def cases(self, run_id: str) -> list[dict[str, Any]]:
        return list(self.submitter.get(f"/api/v1/runs/{run_id}/cases").raise_for_status().json()["items"])

    def run(self, run_id: str) -> dict[str, Any]:
        return dict(self.submitter.get(f"/api/v1/runs/{run_id}").raise_for_status().json())

    def jobs(self, run_id: str) -> list[dict[str, Any]]:
        return list(self.submitter.get(f"/api/v1/runs/{run_id}/jobs").raise_for_status().json()["items"])

    def order(self, run_id: str) -> list[tuple[int, int, int]]:
        """Return (position, case number, repetition) of every execution, by position."""
        with self.database.read() as session:
            rows = session.execute(
                select(Execution.position, Case.number, Execution.repetition)
                .join(Case, Case.id == Execution.case_id)
                .where(Execution.run_id == run_id)
                .order_by(Execution.position)
            )
            return [(position, number, repetition) for position, number, repetition in rows]

    def claim(self, job_id: int, session_id: str = SESSION) -> httpx.Response:
        return self.agent.post(f"/api/v1/jobs/{job_id}/claim", json={"session_id": session_id})

    def release(self, job_id: int, session_id: str = SESSION, reason: str = "shutdown") -> httpx.Response:
        body = {"session_id": session_id, "reason": reason}
        return self.agent.post(f"/api/v1/jobs/{job_id}/release", json=body)


def plan(**given: Any) -> dict[str, Any]:
    """Return a plan of 2 providers × 1 algorithm × 2 kinds × 2 lengths = 8 cases."""
    matrix = {
        "providers": ["cryptopp", "botan"],
        "algorithms": ["aes-192-cbc"],
        "inputs": {"kinds": list(KINDS), "sizes": list(SIZES)},
    }
    return {"version": 1, "name": "test", "repetitions": 3, "matrix": [matrix], **given}


@contextmanager
def open_fleet(folder: Path, agent_id: str | None = None, **settings: object) -> Iterator[Fleet]:
    """Serve a fleet of one agent from this folder.

    agent_id: the agent that the folder has already, with its corpus.
    """
    if agent_id is None and not postgresql.is_selected():
        agent_id, files = _new_fleet()
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    with serve(folder, job_seconds=0.05, **settings) as served:
        if agent_id is None:  # The database is not in the folder.
            agent_id = _fill(served.database, served.settings)
        with served.client("submitter") as submitter, served.client("agent", agent_id) as agent:
            yield Fleet(served, agent_id, submitter, agent)


@cache
def _new_fleet() -> tuple[str, dict[str, bytes]]:
    """Return the agent of a new fleet and the files of its data folder, made once per test process."""
    with tempfile.TemporaryDirectory() as name, untraced():
        settings = migrated_settings(data_folder=Path(name))
        database = Database(settings.resolved_database_url)
        agent_id = _fill(database, settings)
        database.close()
        files = [path for path in Path(name).rglob("*") if path.is_file()]
        return agent_id, {str(path.relative_to(name)): path.read_bytes() for path in files}


def _fill(database: Database, settings: ServiceSettings) -> str:
    """Store chunks and an agent; return its id."""
    add_chunks(settings.corpus_folder, KINDS, SIZES)
    with database.write() as session:
        return add_agent(session)
