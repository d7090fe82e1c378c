"""Agents with runners, proofs and chunks in the database, as after enrollment, builds and corpus."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import product
from pathlib import Path

from sqlalchemy.orm import Session

from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Inventory, Job, Proof, Run, now
from orchestrator.database.rows import stored
from tests.support import agent_reports as reporting

EVALME_ALGORITHMS = (
    *(f"{cipher}-192-{mode}" for cipher in ("aes", "3des") for mode in ("cbc", "ofb", "ctr", "cfb")),
    *(f"{cipher}-{bits}" for cipher in ("salsa20", "chacha20") for bits in (128, 256)),
)
SESSION = "5" * 32


def add_agent(
    session: Session,
    name: str = "pi",
    runners: Mapping[str, Sequence[str]] | None = None,
    *,
    architecture: str = "x86_64",
    approved: bool = True,
    unproved: Iterable[tuple[str, str]] = (),
) -> str:
    """Write an agent whose runners list these algorithms, each in the variant ``ref``; return its id.

    Its last heartbeat is an hour in the future, so that it stays live during a test.
    """
    runners = {"cryptopp": EVALME_ALGORITHMS, "botan": EVALME_ALGORITHMS} if runners is None else runners
    agent_id = hashlib.sha256(name.encode()).hexdigest()[:12]
    agent = Agent(id=agent_id, name=name, broker_password_hash="0" * 64, session_id=SESSION)
    agent.last_heartbeat_at = now() + timedelta(hours=1)
    agent.approved_at = now() if approved else None
    stored(session, agent)
    facts = reporting.inventory(host_name=name)["inventory"]
    facts["processor"]["architecture"] = architecture
    inventory = Inventory(agent_id=agent_id, sha256="a" * 64, architecture=architecture, emulated=False, facts=facts)
    stored(session, inventory)
    agent.inventory_id = inventory.id
    if runners:
        add_build(session, agent_id, runners, set(unproved))
    return agent_id


def add_build(
    session: Session,
    agent_id: str,
    runners: Mapping[str, Sequence[str]],
    unproved: set[tuple[str, str]] | None = None,
    seconds_ago: float = 0.0,
) -> int:
    """Write a current build and its proofs; return its id."""
    build = Build(
        agent_id=agent_id,
        build_key=hashlib.sha256(f"{agent_id}{seconds_ago}".encode()).hexdigest(),
        toolchain={"compiler": "gcc"},
        compiler_version="gcc 12.2.0",
        runners={provider: _runner(provider, algorithms) for provider, algorithms in runners.items()},
        missing_providers={"openssl": "libssl-dev is not installed"},
        is_default=True,
        reported_at=now() - timedelta(seconds=seconds_ago),
    )
    stored(session, build)
    for provider, algorithms in runners.items():
        for algorithm in algorithms:
            passed = (provider, algorithm) not in (unproved or set())
            proof = Proof(build_id=build.id, provider=provider, algorithm=algorithm, variant="ref", passed=passed)
            proof.detail = "" if passed else "vector 3 of 12"
            session.add(proof)
    return build.id


def add_chunks(corpus_folder: Path, kinds: Iterable[str], sizes: Iterable[int]) -> None:
    """Put a real chunk for each kind and size into the corpus and its manifest."""
    store, entries = chunk_store(corpus_folder), []
    for kind, size in product(kinds, sizes):
        data = hashlib.shake_256(f"{kind} {size}".encode()).digest(size)
        stored = store.put_stream([data])
        entry = {
            "kind": kind, "length_bytes": size, "sha256": stored.sha256, "origin": "generated", "title": kind,
            "license": "CC0-1.0", "address": None, "repeated": False, "offset_bytes": 0, "made_at": now(),
        }  # fmt: skip
        entries.append(ChunkEntry.model_validate(entry))
    Catalogue(corpus_folder).change(add=entries)


def _runner(provider: str, algorithms: Sequence[str]) -> dict[str, object]:
    implementations = [
        {"algorithm": algorithm, "variant": "ref", "available": True, "default": True} for algorithm in algorithms
    ]
    listing = {"protocol": 2, "provider": provider, "version": "1", "build": {}, "implementations": implementations}
    return {"provider": provider, "sha256": "2" * 64, "size_bytes": 1, "listing": listing}


def add_job(database: Database, agent_id: str, run_state: str, state: str) -> int:
    """Write a job of a run of one execution; return its id."""
    with database.write() as session:
        session.add(Run(id="run000000001", name="x", plan={}, seed=1, state=run_state, executions_total=1))
        session.flush()
        job = Job(run_id="run000000001", agent_id=agent_id, number=0, state=state, executions_total=1)
        session.add(job)
        session.flush()
        return job.id
