"""Agents, runs, and jobs stored through the models."""

from datetime import datetime, timedelta

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Case, Chunk, Execution, Job, Run, now
from orchestrator.service.security.tokens import digest
from tests.support.phases import executing

AGENT = "aaaaaaaaaaaa"


def fill_agent(
    database: Database,
    agent_id: str = AGENT,
    *,
    last_heartbeat_at: datetime | None = None,
    idle_since: datetime | None = None,
    approved: bool = True,
    revoked: bool = False,
    health: str = "healthy",
) -> None:
    """Store an agent whose last heartbeat is an hour in the future, so that it stays live during a test."""
    at = now()
    agent = Agent(
        id=agent_id,
        name=f"name-{agent_id}",
        approved_at=at if approved else None,
        revoked_at=at if revoked else None,
        broker_password_hash=digest("known only to the agent"),
        last_heartbeat_at=last_heartbeat_at or at + timedelta(hours=1),
        idle_since=idle_since,
        health=health,
    )
    with database.write() as session:
        session.add(agent)


def fill_run(
    database: Database, run_id: str = "rrrrrrrrrrrr", *, agent_id: str = AGENT, jobs: int = 1, priority: int = 5
) -> list[int]:
    """Store a laid-out run with jobs of one execution each; return the jobs' ids."""
    with database.write() as session:
        build = Build(agent_id=agent_id, build_key=digest(run_id), toolchain={}, compiler_version="x", runners={})
        chunk = Chunk(kind="text", length_bytes=1, sha256=digest(run_id), origin="user", title="x", facts={})
        run = Run(
            id=run_id,
            name="run",
            plan={
                "version": 1,
                "name": "run",
                "repetitions": jobs,
                "matrix": [{"providers": ["own"], "algorithms": ["aes-128-ecb"], "inputs": {"sizes": [1]}}],
            },
            seed=1,
            state="running",
            priority=priority,
            executions_total=jobs,
            laid_out_at=now(),
        )
        session.add_all([build, chunk, run])
        session.flush()
        case = Case(
            run_id=run_id,
            number=0,
            agent_id=agent_id,
            build_id=build.id,
            protocol="process",
            **executing(),
            provider="own",
            algorithm="aes-128-ecb",
            variant="ref",
            chunk_id=chunk.id,
            input_sha256=chunk.sha256,
            input_kind="text",
            message_bytes=1,
        )
        rows = [Job(run_id=run_id, agent_id=agent_id, number=number, executions_total=1) for number in range(jobs)]
        session.add_all([case, *rows])
        session.flush()
        session.add_all(
            Execution(run_id=run_id, case_id=case.id, job_id=job.id, repetition=number + 1, position=number)
            for number, job in enumerate(rows)
        )
        return [job.id for job in rows]
