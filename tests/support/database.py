"""A database as it looks after a run, written through the models: for pages, exports and load tests.

The times come from a simple model (T = start + bytes / rate, plus seeded noise), so that results look like those of
a device and every test sees the same ones.
"""

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice, product
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from orchestrator.database import curves
from orchestrator.database.engine import Database
from orchestrator.database.models import (
    Agent,
    Build,
    Calibration,
    Case,
    Chunk,
    Curve,
    Execution,
    ExpectedDigest,
    Inventory,
    Job,
    Omission,
    PreflightReport,
    Proof,
    Run,
    now,
)
from orchestrator.database.rows import stored
from orchestrator.results.freshness.repository import count_changes, stale_cases_among
from orchestrator.results.freshness.service import include
from orchestrator.shared.units import KIB, MIB
from orchestrator.wire.records import CurveSamples as CurveMessage
from tests.support.phases import executing
from tests.support.untraced import untraced

ROWS_A_TRANSACTION = 1000
START_NS = 2_400_000
RATES_MIB: dict[tuple[str, str], float] = {
    ("cryptopp", "aes-128-ctr"): 6900, ("botan", "aes-128-ctr"): 3500, ("own", "aes-128-ctr"): 92,
    ("cryptopp", "aes-192-cbc"): 1216, ("botan", "aes-192-cbc"): 685, ("own", "aes-192-cbc"): 21,
    ("cryptopp", "aes-256-ctr"): 5900, ("botan", "aes-256-ctr"): 3050, ("own", "aes-256-ctr"): 66,
    ("cryptopp", "chacha20-256"): 2078, ("botan", "chacha20-256"): 1903, ("own", "chacha20-256"): 480,
    ("cryptopp", "chacha20-ietf"): 2070, ("botan", "chacha20-ietf"): 2069, ("own", "chacha20-ietf"): 478,
    ("cryptopp", "chacha20-poly1305"): 1130, ("botan", "chacha20-poly1305"): 1010, ("own", "chacha20-poly1305"): 290,
    ("cryptopp", "3des-192-cbc"): 31, ("botan", "3des-192-cbc"): 32,
}  # fmt: skip
RSS_BYTES = {"cryptopp": 6 * MIB, "botan": 9 * MIB, "own": 600 * KIB}


_CALIBRATIONS = (
    ("noise-floor", 0.021, "share of work_wall_ns"),
    ("noop", 2_310_000.0, "ns"),
    ("probe-cost", 0.004, "share of work_wall_ns"),
)


@dataclass(frozen=True)
class Shape:
    """Size of a filled run."""

    run_id: str = "demo00000001"
    name: str = "demo"
    repetitions: int = 8
    kinds: Sequence[str] = ("audio", "random", "text", "video")
    sizes: Sequence[int] = (128 * KIB, 1 * MIB)
    algorithms: Sequence[str] = tuple(sorted({algorithm for _, algorithm in RATES_MIB}))
    """Those of `rates` that the run contains."""
    rates: Mapping[tuple[str, str], float] = field(default_factory=lambda: RATES_MIB)
    """Provider and algorithm → MiB/s."""
    done: float = 1.0
    """Share of the executions that have ended."""
    state: str = "finished"
    with_curves: bool = True
    trouble: bool = False
    """One execution is wrong, one failed."""
    agents: Sequence[str] = field(default=("raspberrypi",))
    submitted_ago: timedelta = timedelta(minutes=12)


def many_series(providers: Sequence[str], algorithms: int) -> Shape:
    """Return a run of this many algorithms of each provider, at most 4 % apart from the next one."""
    names = [f"cipher-{number:02}" for number in range(algorithms)]
    pairs = [(provider, name) for provider in providers for name in names]
    chance = random.Random(3)
    rates = {pair: 90.0 * 1.035**place for place, pair in enumerate(chance.sample(pairs, len(pairs)))}
    return Shape(
        run_id="many00000001", name="many", algorithms=names, rates=rates, kinds=("random",), with_curves=False
    )


def add_agent(session: Session, name: str, silent_for: timedelta | None = timedelta(0), emulated: bool = False) -> str:
    """Write an agent with inventory, build, proofs and calibrations; return its id."""
    agent_id = hashlib.sha256(name.encode()).hexdigest()[:12]
    last_heartbeat_at = None if silent_for is None else now() - silent_for
    agent = Agent(
        id=agent_id, name=name, approved_at=now(), broker_password_hash="0" * 64, session_id="a" * 32,
        last_heartbeat_at=last_heartbeat_at, state="ready", activity="waits for a job",
    )  # fmt: skip
    stored(session, agent)
    inventory = Inventory(
        agent_id=agent_id, sha256=hashlib.sha256(agent_id.encode()).hexdigest(), architecture="aarch64",
        emulated=emulated, facts=_facts(name, emulated),
    )  # fmt: skip
    stored(session, inventory)
    agent.inventory_id = inventory.id
    build = Build(
        agent_id=agent_id, build_key=hashlib.sha256(b"build" + agent_id.encode()).hexdigest(), source_sha256="1" * 64,
        toolchain={"compiler": "gcc", "optimization": "O2", "link": "dynamic"}, compiler_version="gcc 12.2.0",
        build_wall_ns=41_000_000_000, is_default=True, missing_providers={"openssl": "libssl-dev is not installed"},
        runners={name: _runner(name, version) for name, version in
                 (("botan", "2.19.3"), ("cryptopp", "8.7.0"), ("own", "0.1.0"))},
    )  # fmt: skip
    stored(session, build)
    for provider, algorithm in RATES_MIB:
        session.add(Proof(build_id=build.id, provider=provider, algorithm=algorithm, variant="default", passed=True))
    refused = Proof(build_id=build.id, provider="own", algorithm="aes-128-ofb", variant="ref", passed=False)
    refused.detail = "vector 3 of 12: expected 3b3f…, seen 0000…"
    session.add(refused)
    for kind, value, unit in _CALIBRATIONS:
        session.add(Calibration(agent_id=agent_id, build_id=build.id, kind=kind, value=value, unit=unit, detail={}))
    return agent_id


@untraced()
def fill(database: Database, shape: Shape) -> str:
    """Write agents (those not there yet), chunks, a run with its cases, jobs and executions; return the run's id."""
    with database.write() as session:
        agent_ids = [agent_named(session, name) for name in shape.agents]
        chunks = {(kind, size): _chunk(session, kind, size) for kind, size in product(shape.kinds, shape.sizes)}
        pairs = [pair for pair in shape.rates if pair[1] in shape.algorithms]
        cases_total = len(agent_ids) * len(pairs) * len(chunks)
        run = stored(session, _run(shape, cases_total * shape.repetitions))
        cases = _cases(session, shape, agent_ids, pairs, chunks)
        session.add_all(_conditions(shape.run_id, agent_id) for agent_id in agent_ids)
        jobs = {agent_id: add_job(session, run, agent_id, len(cases) * shape.repetitions) for agent_id in agent_ids}
        session.add(
            Omission(
                run_id=run.id, agent_id=agent_ids[0], provider="own", algorithm="3des-192-cbc", variant=None,
                reason="own has no 3DES: a later version adds it.", executions=len(chunks) * shape.repetitions,
            )
        )  # fmt: skip
    rows = _executions(shape, cases, jobs)
    for part in _in_parts(rows):
        with database.write() as session:
            session.execute(insert(Execution), part)
    add_statistics(database, cases)
    if shape.with_curves:
        _add_curves(database, shape.run_id)
    return shape.run_id


def add_statistics(database: Database, cases: Iterable[Case]) -> None:
    """Write the statistics of cases whose executions were written through the models."""
    for ids in _in_parts([case.id for case in cases]):
        with database.write() as session:
            count_changes(session, dict.fromkeys(ids, 1), now())
            stale = stale_cases_among(session, ids)
        include(database, stale)


def _conditions(run_id: str, agent_id: str) -> PreflightReport:
    results = [
        {"name": "governor", "state": "poor", "found": "ondemand", "expected": "performance", "tunable": True,
         "remedy": "ciphermark daemon tune, or: echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/…"},
        {"name": "turbo", "state": "unknown", "found": "the kernel offers no …/cpufreq/boost", "expected": "off"},
        {"name": "swap", "state": "good", "found": "no swap", "expected": "nothing swapped out"},
    ]  # fmt: skip
    facts = {"run_id": run_id, "checked_at": now().isoformat(), "results": results}
    return PreflightReport(agent_id=agent_id, run_id=run_id, checked_at=now(), facts=facts)


def _in_parts(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Cut into as many rows as one transaction may write (itertools.batched is newer than Python 3.11)."""
    rest = iter(items)
    while part := list(islice(rest, ROWS_A_TRANSACTION)):
        yield part


def agent_named(session: Session, name: str) -> str:
    """Return the id of an agent, which is added if it is missing."""
    found = session.query(Agent).filter_by(name=name).one_or_none()
    return found.id if found else add_agent(session, name)


def _run(shape: Shape, total: int) -> Run:
    submitted = now() - shape.submitted_ago
    plan = {
        "version": 1, "name": shape.name, "description": "Six algorithms that three providers have in common.",
        "repetitions": shape.repetitions, "matrix": [{"providers": ["own", "cryptopp", "botan"], "algorithms": ["*"],
                                                      "inputs": {"sizes": list(shape.sizes)}}],
    }  # fmt: skip
    return Run(
        id=shape.run_id, name=shape.name, plan=plan, seed=2021, state=shape.state, executions_total=total,
        estimated_seconds=38.0, submitted_at=submitted, submitted_by="command line", laid_out_at=submitted,
        started_at=submitted + timedelta(seconds=2),
        finished_at=submitted + timedelta(seconds=41) if shape.state == "finished" else None,
    )  # fmt: skip


def _chunk(session: Session, kind: str, size: int) -> Chunk:
    sha256 = hashlib.sha256(f"{kind} {size}".encode()).hexdigest()
    found = session.query(Chunk).filter_by(kind=kind, sha256=sha256).one_or_none()
    if found is None:
        found = Chunk(kind=kind, length_bytes=size, sha256=sha256, origin="generated", title=kind, facts={})
        stored(session, found)
    return found


def _cases(
    session: Session,
    shape: Shape,
    agent_ids: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    chunks: dict[tuple[str, int], Chunk],
) -> list[Case]:
    builds = {build.agent_id: build.id for build in session.query(Build)}
    cases = []
    combinations = product(agent_ids, pairs, chunks.values())
    for number, (agent_id, (provider, algorithm), chunk) in enumerate(combinations):
        cases.append(
            Case(
                run_id=shape.run_id, number=number, agent_id=agent_id, build_id=builds[agent_id], protocol="process",
                **executing(), provider=provider, algorithm=algorithm, variant=_variant(provider),
                chunk_id=chunk.id, input_sha256=chunk.sha256, input_kind=chunk.kind, message_bytes=chunk.length_bytes,
            )
        )  # fmt: skip
        _expect(session, algorithm, chunk.sha256)
    session.add_all(cases)
    session.flush()
    return cases


def _variant(provider: str) -> str:
    return "ref" if provider == "own" else "default"


def _expect(session: Session, algorithm: str, input_sha256: str) -> None:
    if session.query(ExpectedDigest).filter_by(algorithm=algorithm, input_sha256=input_sha256).first() is None:
        basis = "agents" if algorithm.startswith("3des") else "service"
        label = "agents pi4 and pi5" if basis == "agents" else basis
        digest = _digest(algorithm, input_sha256)
        session.add(
            ExpectedDigest(
                algorithm=algorithm, input_sha256=input_sha256, output_sha256=digest, basis=basis, vouched_by=label
            )
        )


def _digest(algorithm: str, input_sha256: str) -> str:
    return hashlib.sha256(f"{algorithm} {input_sha256}".encode()).hexdigest()


def add_job(session: Session, run: Run, agent_id: str, total: int) -> int:
    """Write the only job of an agent in a run; return its id."""
    state = "done" if run.state == "finished" else "running"
    job = Job(run_id=run.id, agent_id=agent_id, number=0, state=state, executions_total=total, attempts=1)
    job.started_at = run.started_at
    return stored(session, job).id


def _executions(shape: Shape, cases: Sequence[Case], jobs: dict[str, int]) -> Iterator[dict[str, Any]]:
    chance = random.Random(7)
    ended = round(shape.done * len(cases) * shape.repetitions)
    at = now() - shape.submitted_ago
    position = 0
    for repetition in range(1, shape.repetitions + 1):
        for case in chance.sample(list(cases), len(cases)):
            row = _measured(shape, case, chance, at) if position < ended else _WAITING
            yield {
                **row, "run_id": shape.run_id, "case_id": case.id, "job_id": jobs[case.agent_id],
                "repetition": repetition, "purpose": "timing", "position": position,
                **(_trouble(position, ended) if shape.trouble else {}),
            }  # fmt: skip
            position += 1


_COLUMNS = (
    *("attempt", "started_at", "stored_at", "work_wall_ns", "process_wall_ns", "phase_wall_ns"),
    *("work_cpu_ns", "peak_rss_bytes", "output_sha256", "readings"),
)
_WAITING: dict[str, Any] = {"state": "waiting", "disturbed": False, "failure": None, **dict.fromkeys(_COLUMNS)}


def _measured(shape: Shape, case: Case, chance: random.Random, at: datetime) -> dict[str, Any]:
    rate = shape.rates[case.provider, case.algorithm] * MIB * chance.gauss(1, 0.012)
    encrypt = round(case.message_bytes / rate * 1e9)
    decrypt = round(encrypt * chance.gauss(0.97, 0.01))
    start = round(START_NS * chance.gauss(1, 0.03))
    load = round(case.message_bytes / 3.1)
    work = start + load + 9_000 + encrypt + decrypt
    disturbed = chance.random() < 0.02
    baseline = RSS_BYTES.get(case.provider, 2 * MIB)
    readings = {
        "start_wall_ns": start, "load_wall_ns": load, "baseline_rss_bytes": baseline,
        "buffers_bytes": 3 * case.message_bytes, "work_minor_faults": 140 + case.message_bytes // 1365,
        "work_major_faults": 0, "encrypt_cycles": None, "frequency_before_hz": None,
        "absent": {"encrypt_cycles": "the kernel grants no hardware counters here (perf_event_open: ENOENT)",
                   "frequency_before_hz": "this machine has no cpufreq"},
        "disturbances": ["others-on-core"] if disturbed else [],
    }  # fmt: skip
    return {
        "state": "ok", "disturbed": disturbed, "failure": None, "attempt": 1, "started_at": at, "stored_at": at,
        "work_wall_ns": work, "process_wall_ns": work + 3_100_000,
        "phase_wall_ns": {"key_setup": 9_000, "encrypt": encrypt, "decrypt": decrypt},
        "work_cpu_ns": round(work * 0.98),
        "peak_rss_bytes": baseline + 3 * case.message_bytes + chance.randrange(40) * 4096,
        "output_sha256": _digest(case.algorithm, case.input_sha256 or ""), "readings": readings,
    }  # fmt: skip


def _trouble(position: int, ended: int) -> dict[str, Any]:
    if position == ended // 3:
        return {"state": "wrong", "output_sha256": "f" * 64}
    if position == ended // 2:
        failure = {
            "error": "runner-crashed", "detail": "The runner ended with signal 11 (SIGSEGV).", "exit_code": None,
            "signal": 11, "stderr_tail": "ciphermark-own: <b>not markup</b>\nsegmentation fault in load()",
        }  # fmt: skip
        return {**_WAITING, "state": "failed", "attempt": 1, "failure": failure}
    return {}


def _add_curves(database: Database, run_id: str) -> None:
    with database.write() as session:
        for execution in session.query(Execution).filter_by(run_id=run_id).where(Execution.work_wall_ns.is_not(None)):
            message = _curve(execution)
            columns = curves.encode(message)
            session.add(Curve(execution_id=execution.id, samples=len(message.at_ns), source="proc", columns=columns))


def _curve(execution: Execution) -> CurveMessage:
    """Return samples each millisecond: start, then buffers touched while loading, then level until the end."""
    readings = execution.readings or {}
    start, load = readings["start_wall_ns"], readings["load_wall_ns"]
    baseline, peak = readings["baseline_rss_bytes"], execution.peak_rss_bytes or 0
    at_ns = list(range(200_000, execution.process_wall_ns or 0, 1_000_000))
    shares = [min(1.0, max(0.0, (at - start) / load)) for at in at_ns]
    levels = [baseline * min(1.0, at / start) for at in at_ns]
    return CurveMessage(
        at_ns=at_ns,
        rss_bytes=[round(level + (peak - baseline) * share) for level, share in zip(levels, shares, strict=True)],
        cpu_ns=[at // 10_000_000 * 10_000_000 for at in at_ns],
        threads=[1] * len(at_ns),
    )


def _runner(provider: str, version: str) -> dict[str, Any]:
    listing = {"protocol": 2, "provider": provider, "version": version, "build": {}, "implementations": []}
    return {"provider": provider, "sha256": "2" * 64, "size_bytes": 91_000, "listing": listing}


def _facts(name: str, emulated: bool) -> dict[str, Any]:
    return {
        "host_name": name, "device_model": "Raspberry Pi 4 Model B Rev 1.4", "memory_bytes": 4 * 1024 * MIB,
        "processor": {
            "model": "Cortex-A72", "architecture": "aarch64", "cores": 4, "online_cores": [0, 1, 2, 3],
            "isa_extensions": ["fp", "asimd", "evtstrm", "crc32", "cpuid"], "governor": None,
        },
        "swap_bytes": 0, "operating_system": "Debian GNU/Linux 12 (bookworm)", "kernel": "6.6.31-v8+",
        "python": "3.11.2", "libc": "glibc 2.36", "sensors": {}, "hardware_counters": False, "virtual_machine": None,
        "compilers": [{"name": "gcc", "command": "g++", "version": "12.2.0", "target": "aarch64-linux-gnu"}],
        "libraries": {"cryptopp": "8.7.0", "botan": "2.19.3"}, "emulated": emulated, "measured_core": 3,
        "daemon_version": "0.1.0",
        "absent": {"governor": "no cpufreq in /sys", "hardware_counters": "perf_event_open: ENOENT",
                   "sensors": "no thermal zone and no hwmon"},
    }  # fmt: skip
