"""Reasons that a run waits: builds and chunks until it is laid out, then agents while none with open jobs serves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlalchemy.orm import Session

from orchestrator.agents.liveness import absence, is_serving
from orchestrator.database.models import Agent, ChunkRequest, Run
from orchestrator.runs.chunks.repository import awaited_chunks
from orchestrator.runs.chunks.schemas import AwaitedChunks
from orchestrator.runs.progress.queue import RunAgents
from orchestrator.runs.progress.repository import open_builds
from orchestrator.runs.state import RunState
from orchestrator.shared.units import format_size
from orchestrator.wire.builds import Toolchain


@dataclass(frozen=True)
class Wait:
    """Agents, builds or chunks that one run waits for; all are empty for a run that makes progress."""

    agents: Sequence[str] = ()
    """Each agent with open jobs, with the reason that it gets none; its name alone where it is silent."""
    builds: Sequence[str] = ()
    """``<agent> <toolchain>`` of every build that the run needs before it is laid out."""
    chunks: Sequence[AwaitedChunks] = ()
    """Chunks that the service makes before the run is laid out."""


NO_WAIT = Wait()


def waits(session: Session, runs: Sequence[Run], agents: Mapping[str, RunAgents], at: datetime) -> dict[str, Wait]:
    """Return the wait of each of these runs that waits; agents: by run."""
    planned = [run.id for run in runs if run.state == RunState.PLANNED]
    running = [run.id for run in runs if run.state == RunState.RUNNING]
    builds, chunks = _awaited_builds(session, planned + running), awaited_chunks(session, planned)
    found = {
        run_id: Wait(
            builds=builds.get(run_id, ()),
            chunks=_by_kind(chunks.get(run_id, ())),
        )
        for run_id in {*builds, *chunks}
    }
    for run_id in running:
        busy = [agent for agent, has_open_jobs in agents.get(run_id, {}).values() if has_open_jobs]
        if busy and not any(is_serving(agent, at) for agent in busy):
            builds_of_run = found.get(run_id, NO_WAIT).builds
            found[run_id] = Wait(builds=builds_of_run, agents=sorted(_named(agent, at) for agent in busy))
    return found


def chunk_labels(waiting: Mapping[str, Wait]) -> dict[str, str]:
    """Return for each run that waits for chunks their kinds and lengths."""
    return {
        run_id: ", ".join(f"{one.kind} up to {format_size(one.longest_bytes)}" for one in wait.chunks)
        for run_id, wait in waiting.items()
        if wait.chunks
    }


def _awaited_builds(session: Session, run_ids: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in open_builds(session, run_ids):
        found.setdefault(one.run_id, []).append(f"{one.agent_name} {Toolchain.model_validate(one.toolchain).words}")
    return found


def _by_kind(requests: Sequence[ChunkRequest]) -> list[AwaitedChunks]:
    """Return the open chunk requests of a run by kind, those that are being made first."""
    found = [
        AwaitedChunks(
            kind=kind,
            chunks=len(of_kind),
            longest_bytes=max(one.length_bytes for one in of_kind),
            done_bytes=max((one.done_bytes for one in of_kind if one.done_bytes is not None), default=None),
            started_at=max((one.started_at for one in of_kind if one.started_at is not None), default=None),
        )
        for kind, of_kind in ((kind, list(group)) for kind, group in groupby(requests, key=lambda one: one.kind))
    ]
    return sorted(found, key=lambda one: (one.started_at is None, one.kind))


def _named(agent: Agent, at: datetime) -> str:
    """Return the agent's name and why it gets no jobs; the name alone where it is silent."""
    why, _ = absence(agent, at)
    return agent.name if why == "silent" else f"{agent.name} is {why}"
