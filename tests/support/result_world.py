"""A small world to measure in: a real database file, a corpus with one chunk, an agent, a run that waits."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from corpus.catalogue import chunk_store
from orchestrator.compilation.reference.third_party import output_sha256
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Case, CaseStatistics, Execution, Inventory, Job, Proof, Run, now
from orchestrator.database.rows import stored
from orchestrator.results import ingest
from orchestrator.results.cases.schemas import CaseDetail
from orchestrator.results.cases.service import catch_up_case, get_case
from orchestrator.results.freshness.service import catch_up
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.jobs import latency_input_sha256
from orchestrator.wire.messages import CIPHER_SEQUENCE
from orchestrator.wire.records import Record, RecordBatch, RecordBatchResponse, TimingSeries
from tests.support.migrated_database import migrated_settings
from tests.support.phases import executing, with_phases

CHUNK = bytes(range(256)) * 16
CHUNK_SHA256 = hashlib.sha256(CHUNK).hexdigest()
INVENTORY_SHA256 = "5" * 64
SESSION = "a" * 32
AGENT = "agent0000001"
Shown = TypeVar("Shown")


_SENT_AT = datetime(2000, 1, 1, tzinfo=UTC)
"""Long ago, so that tests choose when their executions began."""
_JOB_OF_CASE: dict[int, int] = {}
"""Job of each case of the latest world, for records."""


@dataclass
class World:
    """Everything a test of results needs."""

    database: Database
    settings: ServiceSettings

    def run(self, providers: Sequence[str], algorithm: str = "aes-128-ctr", **how: Any) -> dict[str, int]:
        """Lay out a run of one algorithm over the chunk; return the case ids by provider."""
        facts = {"protocol": "process", "operation": CIPHER_SEQUENCE, "algorithm": algorithm, "variant": "ref",
                 "input_sha256": CHUNK_SHA256, "input_kind": "random", "message_bytes": len(CHUNK)}  # fmt: skip
        return self.lay_out({provider: facts | {"provider": provider} for provider in providers}, **how)

    def time_calls(self, cases: Mapping[str, Mapping[str, Any]], **how: Any) -> dict[str, int]:
        """Lay out a run of timed calls, by default encryptions of 16 bytes by own; return the case ids by name."""
        facts = {
            "protocol": "latency", "operation": "encrypt", "provider": "own", "algorithm": "ascon-128",
            "variant": "opt64", "message_bytes": 16, "fill": "counter", "key_fill": "counter", "key_setup": "apart",
            "input_sha256": latency_input_sha256("counter", "counter", 16, 0), "timings": 3, "min_timing_ms": 1.0,
        }  # fmt: skip
        return self.lay_out({name: facts | dict(changes) for name, changes in cases.items()}, **how)

    def lay_out(self, cases: Mapping[str, Mapping[str, Any]], **how: Any) -> dict[str, int]:
        """Lay out a run of these cases; return their ids by name. ``agent`` is the one that executes them, AGENT."""
        run_id, repetitions = how.get("run_id", "run000000001"), how.get("repetitions", 6)
        total, found, agent_id = repetitions * len(cases), {}, how.get("agent", AGENT)
        with self.database.write() as session:
            session.add(
                Run(id=run_id, name="small", plan={}, seed=1, state="running", executions_total=total,
                    laid_out_at=now(), started_at=now())
            )  # fmt: skip
            session.flush()
            job = Job(
                run_id=run_id, agent_id=agent_id, number=0, state="running", executions_total=total, sent_at=_SENT_AT
            )
            stored(session, job)
            for number, (name, facts) in enumerate(cases.items()):
                proven = facts["provider"] not in how.get("unproven", ())
                build_id = _build_id(session, agent_id, facts, how.get("builds", {}).get(name, "b" * 64), proven)
                place = {"run_id": run_id, "number": number, "agent_id": agent_id, "build_id": build_id}
                case = stored(session, Case(**{**executing(facts["operation"]), **facts, **place}))
                found[name] = case.id
                _JOB_OF_CASE[case.id] = job.id
                session.add_all(
                    Execution(run_id=run_id, case_id=case.id, job_id=job.id, repetition=repetition, position=repetition)
                    for repetition in range(1, repetitions + 1)
                )
        return found

    def add_agent(self, agent_id: str, name: str) -> str:
        """Add an agent with an inventory; return its id."""
        with self.database.write() as session:
            stored(session, Agent(id=agent_id, name=name, approved_at=now(), broker_password_hash="0" * 64))
            inventory = {"sha256": INVENTORY_SHA256, "architecture": "x86_64", "emulated": False, "facts": {}}
            session.add(Inventory(agent_id=agent_id, **inventory))
        return agent_id

    def store(self, *records: Record, agent: str = AGENT) -> RecordBatchResponse:
        """Store records of an agent, as it delivers them."""
        return ingest.store(self.database, agent, RecordBatch(records=list(records)))

    def states(self, case_id: int) -> list[str]:
        """Return the states of a case's executions by repetition."""
        with self.database.read() as session:
            query = select(Execution.state).where(Execution.case_id == case_id).order_by(Execution.repetition)
            return list(session.scalars(query))

    def summary(self, case_id: int) -> CaseStatistics:
        """Return the statistics of a case."""
        with self.database.read() as session:
            run_id = session.get_one(Case, case_id).run_id
        catch_up(self.database, run_id)
        return self.read(Session.get_one, CaseStatistics, case_id)

    def case(self, case_id: int) -> CaseDetail:
        """Return a case as the API does."""
        catch_up_case(self.database, case_id)
        return self.read(get_case, case_id)

    def read(self, get: Callable[..., Shown], *given: Any) -> Shown:
        """Return what a function of a session returns."""
        with self.database.read() as session:
            return get(session, *given)


def make_world(folder: Path) -> World:
    """Return a world below this folder."""
    settings = migrated_settings(data_folder=folder / "data", cache_folder=folder / "cache")
    chunk_store(settings.corpus_folder).put_stream([CHUNK])
    world = World(Database(settings.resolved_database_url), settings)
    world.add_agent(AGENT, "pi")
    return world


def record(case_id: int, repetition: int = 1, algorithm: str = "aes-128-ctr", **changes: Any) -> Record:
    """Return a good record: 1 µs per 4 bytes encrypted, and the right ciphertext."""
    values: dict[str, Any] = {
        "case_id": case_id, "repetition": repetition, "position": repetition,
        "job_id": _JOB_OF_CASE.get(case_id, 1), "attempt": 1,
        "session_id": SESSION, "inventory_sha256": INVENTORY_SHA256, "started_at": now(), "state": "ok",
        "work_wall_ns": 2_000_000, "process_wall_ns": 2_500_000, "encrypt_wall_ns": 1_024_000,
        "decrypt_wall_ns": 900_000, "work_cpu_ns": 1_900_000, "peak_rss_bytes": 700_000, "input_bytes": len(CHUNK),
        "output_sha256": output_sha256(algorithm, [CHUNK]) or "e" * 64,
    }  # fmt: skip
    if changes.get("work_wall_ns") is not None:
        # No work is longer than its process.
        values["process_wall_ns"] = changes["work_wall_ns"] + 400_000
    return Record(**with_phases(**{**values, **changes}))


def latency_record(case_id: int, repetition: int = 1, call_wall_ns: float = 400.0, **changes: Any) -> Record:
    """Return a good record of timed encryptions, three timings of 1000 calls."""
    timings = TimingSeries(
        iterations=[1000] * 3, wall_ns=[round(1000 * call_wall_ns)] * 3, cpu_ns=[390_000] * 3, cycles=[None] * 3,
        instructions=[None] * 3, core_clock_hz=[3e9, None, 3e9], derived_cycles=[1.17e6, None, 1.17e6],
    )  # fmt: skip
    values: dict[str, Any] = {
        "case_id": case_id, "repetition": repetition, "position": repetition,
        "job_id": _JOB_OF_CASE.get(case_id, 1), "attempt": 1,
        "session_id": SESSION, "inventory_sha256": INVENTORY_SHA256, "started_at": now(), "state": "ok",
        "process_wall_ns": sum(timings.wall_ns) + 7_800_000,
        "call_wall_ns": call_wall_ns, "call_cpu_ns": 390.0, "peak_rss_bytes": 700_000,
        "output_sha256": "e" * 64, "timings": timings, "absent": {"call_cycles": "no PMU"},
        "readings": {"iterations": 1000, "timed_calls": 3000, "cold_call_wall_ns": 5000, "call_cycles": None,
                     "cold_key_setup_wall_ns": 7000},
    }  # fmt: skip
    return Record(**{**values, **changes})


def _build_id(session: Session, agent_id: str, facts: Mapping[str, Any], build_key: str, proven: bool) -> int:
    build = session.scalar(select(Build).where(Build.build_key == build_key, Build.agent_id == agent_id))
    if build is None:
        toolchain = {"compiler": "gcc", "optimization": "O2", "link": "dynamic"}
        facts_of_build = {"toolchain": toolchain, "compiler_version": "12.2.0", "runners": {}}
        build = stored(session, Build(agent_id=agent_id, build_key=build_key, **facts_of_build))
    of_proof = {"build_id": build.id, **{name: facts[name] for name in ("provider", "algorithm", "variant")}}
    if session.query(Proof).filter_by(**of_proof).first() is None:
        session.add(Proof(**of_proof, passed=proven))
    return build.id
