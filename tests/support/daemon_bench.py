"""The parts of a daemon around real runners, connected to a given service."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.store import ChunkStore
from orchestrator.compilation.cache import BuildLedger
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.libraries.registered import LIBRARIES_FILE
from orchestrator.compilation.proofs import prove
from orchestrator.compilation.proved import ProvedBuild, ProvedBuilds
from orchestrator.daemon.builds.builder import Builder, DefaultBuild
from orchestrator.daemon.builds.orders import BuildOrders
from orchestrator.daemon.health.preflight import CheckedMachine, PreflightReports
from orchestrator.daemon.jobs.chunk_cache import ChunkCache
from orchestrator.daemon.jobs.claims import AgentSession, Claims
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.executor import Executor, Outcome
from orchestrator.daemon.jobs.handler import JobHandler
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.daemon.jobs.records import RecordContext
from orchestrator.daemon.jobs.room import Room
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.wire.jobs import JobMessage
from orchestrator.wire.records import Record

AGENT_ID = "abcdefghij01"
INVENTORY = "cd" * 32
CHUNK = bytes(range(256)) * 128
CHUNK_SHA256 = hashlib.sha256(CHUNK).hexdigest()
AEAD = "tinyjambu-128"
NO_SERVICE = "http://127.0.0.1:9"
"""The discard port: connections are refused immediately."""


@dataclass(frozen=True)
class DaemonBench:
    """The parts of a daemon that execute jobs."""

    build: InstalledBuild
    journal: Journal
    status: Status
    delivery: Delivery
    executor: Executor
    handler: JobHandler
    chunks: ChunkStore
    preflight: PreflightReports

    def records(self) -> list[Record]:
        """Return the undelivered records."""
        return [Record.model_validate_json(document) for document in self.journal.waiting(1000).values()]

    def context(self, job: JobMessage) -> RecordContext:
        """Return the context of a first attempt."""
        return RecordContext(job, 1, "0" * 32, INVENTORY)

    def execute(self, job: JobMessage) -> Outcome:
        """Accept and execute a job as its first attempt."""
        with self.status.accept(job.job_id) as active:
            active.start(1)
            return self.executor.execute(self.context(job), active)


@contextmanager
def daemon_bench(
    folder: Path,
    build: InstalledBuild,
    plan: InstrumentPlan,
    default: DefaultBuild | None = None,
    min_free_mib: int = 0,
) -> Iterator[DaemonBench]:
    """Yield the parts of a daemon whose files are in a folder, with its chunk; its service is unreachable.

    default: how the build was made; without it, a damaged build cannot be made again.
    """
    client, status = ServiceClient(ServiceAddress(NO_SERVICE, "token", 2.0)), Status()
    journal = Journal(folder / "journal.sqlite")
    delivery = Delivery(journal, client, batch_records=50)
    proved = ProvedBuild(build, prove(build, lambda _: None))
    builder = make_builder(folder, client, status, default or DefaultBuild(proved, None))
    room = Room(journal, folder, min_free_mib)
    executor = Executor(
        journal=journal,
        delivery=delivery,
        chunks=ChunkCache(folder / "chunks", client),
        builds=ProvedBuilds(build.folder.parents[1], proved),
        restore_build=builder.restore_build,
        room=room,
        new_instrument=lambda: Instrument(plan),
    )
    preflight = PreflightReports(client, CheckedMachine(plan.measured_core, folder))
    handler = JobHandler(
        status=status,
        claims=Claims(client, journal, AgentSession(AGENT_ID, "0" * 32, INVENTORY)),
        builder=builder,
        preflight=preflight,
        executor=executor,
        delivery=delivery,
        room=room,
    )
    chunks = ChunkStore(folder / "chunks")
    chunks.put_stream([CHUNK], CHUNK_SHA256)
    with journal, client:
        yield DaemonBench(build, journal, status, delivery, executor, handler, chunks, preflight)


def make_builder(
    folder: Path,
    client: ServiceClient,
    status: Status,
    default: DefaultBuild,
    *,
    cache_bytes: int = 2**40,
    orders: BuildOrders | None = None,
) -> Builder:
    """Return a builder of ordered builds, next to a default build."""
    return Builder(
        default=default,
        client=client,
        status=status,
        orders=orders or BuildOrders(),
        ledger=BuildLedger(folder / "known-builds.json"),
        cache_folder=default.proved.build.folder.parents[1],
        cache_bytes=cache_bytes,
        libraries_file=folder / LIBRARIES_FILE,
    )


def a_job(build: InstalledBuild, repetitions: int, provider: str = "own", **changes: Any) -> JobMessage:
    """Return a job with a stream cipher, a block cipher mode, and noop, interleaved."""
    names = [
        ("chacha20-256", "key-setup+encrypt+decrypt"),
        ("aes-128-cbc", "key-setup+encrypt+decrypt"),
        ("noop", "noop"),
    ]
    cases = [
        {
            "case_id": number, "build_key": build.build_key, "provider": provider, "algorithm": algorithm,
            "variant": default_variant(build, provider, algorithm), "protocol": "process", "operation": operation,
            "chunk_sha256": CHUNK_SHA256, "chunk_bytes": len(CHUNK),
        }
        for number, (algorithm, operation) in enumerate(names, 1)
    ]  # fmt: skip
    order = [(case["case_id"], n) for n in range(1, repetitions + 1) for case in cases]
    facts: dict[str, Any] = {
        "version": 1, "job_id": 9, "run_id": "abcdefghij99", "agent_id": AGENT_ID, "timeout_seconds": 20,
        "output_limit_bytes": 65536, "cases": cases,
        "executions": [
            {"case_id": case_id, "repetition": n, "position": position}
            for position, (case_id, n) in enumerate(order)
        ],
    }  # fmt: skip
    return JobMessage.model_validate(facts | changes)


def a_latency_job(build: InstalledBuild, repetitions: int = 2, **changes: Any) -> JobMessage:
    """Return a job with an encryption, a decryption, and a key setup, interleaved."""
    cases = [
        {
            "case_id": number, "build_key": build.build_key, "provider": "own", "algorithm": AEAD,
            "variant": default_variant(build, "own", AEAD), "protocol": "latency", "operation": operation,
            "message_bytes": length, "associated_data_bytes": data, "fill": "counter", "key_fill": "zero",
            "key_setup": key_setup, "timings": 3, "min_timing_ms": 0.5, **changes,
        }
        for number, (operation, length, data, key_setup) in enumerate(
            [("encrypt", 16, 32, "included"), ("decrypt", 16, 32, "apart"), ("key-setup", 0, 0, "apart")], 1)
    ]  # fmt: skip
    order = [(number, n) for n in range(1, repetitions + 1) for number in (1, 2, 3)]
    executions = [
        {"case_id": case_id, "repetition": n, "position": position} for position, (case_id, n) in enumerate(order)
    ]
    return a_job(build, repetitions, cases=cases, executions=executions)


def default_variant(build: InstalledBuild, provider: str, algorithm: str) -> str:
    """Return the default variant according to the build's list."""
    listing = next(r.listing for r in build.report.runners if r.provider == provider)
    found = (i.variant for i in listing.implementations if i.algorithm == algorithm and i.default)
    return next(found, None) or "none"
