"""A database as it looks after a run of timed calls with several toolchains, one of which made nothing.

Times come from a simple model (calls of so many ns per byte, plus seeded noise), so that every test sees the same ones.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from orchestrator.builds.source_metrics.schemas import SourceFigures, SourceGroup
from orchestrator.database import timings
from orchestrator.database.engine import Database
from orchestrator.database.models import (
    AwaitedBuild,
    Build,
    BuildRequest,
    Case,
    Execution,
    Footprint,
    Proof,
    Run,
    Timings,
    now,
)
from orchestrator.database.rows import stored
from orchestrator.shared.units import KIB
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.jobs import latency_input_sha256
from orchestrator.wire.messages import Call, check_of
from orchestrator.wire.records import TimingSeries as TimingsMessage
from tests.support.database import add_job, add_statistics, agent_named
from tests.support.phases import executing
from tests.support.untraced import untraced

LENGTHS = (64, 256, 1 * KIB, 4 * KIB)
ASSOCIATED_DATA_BYTES = 32
CALL_NS = {"tinyjambu-128": (900.0, 8.1), "tinyjambu-256": (1020.0, 9.3)}
"""Algorithm → nanoseconds of an empty message, and of each byte."""
TARGET = "cortex-m3"
ON_TARGET_BYTES = {"tinyjambu-128": 900, "tinyjambu-256": 1100}
SPEED = {"gcc": 1.0, "clang": 0.93}
CORE_HZ = 1.8e9
COUNTERS_REASON = "the kernel grants no hardware counters here (perf_event_open: ENOENT)"
COMPILER_SAID = "icpx: command not found\nInstall intel-oneapi-compiler-dpcpp-cpp, or take gcc or clang."
TIMINGS = 5


@dataclass(frozen=True)
class Shape:
    """Size of the filled run."""

    run_id: str = "calls0000001"
    name: str = "calls"
    agent: str = "pi4"
    repetitions: int = 6
    lengths: Sequence[int] = LENGTHS
    key_setup: str = "included"
    """Of the encryptions and decryptions."""
    operations: Sequence[str] = ("encrypt", "decrypt")
    """Those with a message; a message of a batch takes a quarter of the time."""
    compilers: Sequence[str] = ("gcc", "clang")
    """Those that made runners; a third one, icpx, always fails."""


@untraced()
def fill_calls(database: Database, shape: Shape) -> str:
    """Write an agent with its toolchains and a finished run of calls; return the run's id."""
    with database.write() as session:
        agent_id = agent_named(session, shape.agent)
        builds = {name: _build(session, agent_id, name) for name in shape.compilers}
        failed = _failed_build(session, agent_id)
        ends = _cases(shape, agent_id, builds), _cases(shape, agent_id, {"icpx": failed}, start=1000)
        total = sum(map(len, ends)) * shape.repetitions
        run = stored(session, finished_run(shape.run_id, shape.name, shape.repetitions, total))
        session.add_all([*ends[0], *ends[1]])
        session.flush()
        if ends[0]:
            speeds = {build.id: SPEED[name] for name, build in builds.items()}
            job_id = add_job(session, run, agent_id, total)
            session.execute(insert(Execution), list(_measured(shape, ends[0], job_id, speeds)))
        session.execute(insert(Execution), list(_skipped(shape, ends[1])))
        _add_timings(session, shape.run_id)
    add_statistics(database, (*ends[0], *ends[1]))
    return shape.run_id


def fill_waiting(database: Database) -> None:
    """Write a planned run, waiting00001, that waits for a toolchain of an agent which is there."""
    with database.write() as session:
        agent_id = agent_named(session, "pi4")
        toolchain = Toolchain(optimization="Os")
        request = BuildRequest(agent_id=agent_id, toolchain_key=toolchain.key, toolchain=toolchain.model_dump())
        run = finished_run("waiting00001", "waiting", 6, 120)
        run.state, run.laid_out_at, run.started_at, run.finished_at = "planned", None, None, None
        session.add_all([request, run])
        session.flush()
        session.add(AwaitedBuild(run_id=run.id, request_id=request.id))


def finished_run(run_id: str, name: str, repetitions: int, total: int) -> Run:
    """Return a run of calls that ended."""
    at = now() - timedelta(minutes=3)
    return Run(
        id=run_id, name=name, plan={"version": 1, "name": name, "repetitions": repetitions}, seed=4096,
        state="finished", executions_total=total, estimated_seconds=60.0, submitted_at=at,
        submitted_by="command line", laid_out_at=at, started_at=at, finished_at=at + timedelta(seconds=70),
    )  # fmt: skip


def _build(session: Session, agent_id: str, compiler: str) -> Build:
    command = (
        f"{compiler} -std=c++20 -O3 -DNDEBUG -ffunction-sections -c <source>/src/ciphers/aead/tinyjambu/scalar.cpp"
    )
    build = Build(
        agent_id=agent_id, build_key=sha256_of(f"{agent_id} {compiler}"), source_sha256="1" * 64,
        toolchain=Toolchain.model_validate({"compiler": compiler, "optimization": "O3"}).model_dump(),
        compiler_version=f"{compiler} 14.0.6", build_wall_ns=58_000_000_000, sources=_sources(),
        compile_commands={"ciphers": command, "own": f"{compiler} -O3 -o <build>/ciphermark-own"},
        runners={"own": {"provider": "own", "sha256": sha256_of(compiler), "size_bytes": 1_204_880, "listing": {
            "protocol": 2, "provider": "own", "version": "0.1.0", "build": {},
            "implementations": [_implementation(name) for name in CALL_NS]}}},
    )  # fmt: skip
    stored(session, build)
    for number, algorithm in enumerate(CALL_NS):
        names = {"build_id": build.id, "provider": "own", "algorithm": algorithm, "variant": "scalar"}
        session.add(Proof(**names, passed=True, output_sha256=sha256_of(algorithm)))
        sizes = {"": 2300 + 512 * number + len(compiler), TARGET: ON_TARGET_BYTES[algorithm]}
        for target, code_bytes in sizes.items():
            session.add(
                Footprint(
                    **names, target=target, code_bytes=code_bytes, static_ram_bytes=0, context_bytes=16,
                    stack_bytes={"key-setup": 64, "encrypt": 240, "decrypt": 304}, reason="",
                )
            )  # fmt: skip
    session.add(
        Footprint(
            build_id=build.id, provider="own", algorithm="aes-256-ecb", variant="ref", code_bytes=None,
            static_ram_bytes=None, context_bytes=240, reason="the linker keeps no program of this implementation alone",
        )
    )  # fmt: skip
    return build


def _sources() -> list[dict[str, Any]]:
    """Return the source code of all but AES, which tinyjambu-256 has 10 lines more of."""
    return [
        SourceGroup(
            implementations=[("own", algorithm, "scalar")],
            source=SourceFigures(
                files=["src/ciphers/aead/tinyjambu/scalar.cpp"], physical_lines=150, source_lines=110 + 10 * number,
                comment_lines=20, raw_bytes=5000, gzip_bytes=1700, xz_bytes=1720, zstd_bytes=1690, disk_blocks=2,
                functions=9, mean_complexity=1.5, max_complexity=4,
            ),
            reason="",
        ).model_dump()
        for number, algorithm in enumerate(CALL_NS)
    ]  # fmt: skip


def _implementation(algorithm: str) -> dict[str, Any]:
    return {
        "algorithm": algorithm, "variant": "scalar", "kind": "aead", "key_bytes": int(algorithm[-3:]) // 8,
        "nonce_bytes": 12, "tag_bytes": 8, "constant_time": algorithm == "tinyjambu-128", "available": True,
    }  # fmt: skip


def _failed_build(session: Session, agent_id: str) -> Build:
    toolchain = Toolchain(compiler="icpx", optimization="O3")
    build = Build(
        agent_id=agent_id, build_key=sha256_of(f"{agent_id} icpx"), toolchain=toolchain.model_dump(),
        compiler_version="", runners={}, failure=COMPILER_SAID, current=False,
    )  # fmt: skip
    stored(session, build)
    session.add(
        BuildRequest(
            agent_id=agent_id, toolchain_key=toolchain.key, toolchain=toolchain.model_dump(), state="failed",
            build_id=build.id, settled_at=now(),
        )
    )  # fmt: skip
    return build


def _cases(shape: Shape, agent_id: str, builds: dict[str, Build], start: int = 0) -> list[Case]:
    messages = [
        *product(shape.operations, (shape.key_setup,), shape.lengths, (ASSOCIATED_DATA_BYTES,)),
        ("key-setup", "apart", 0, 0),
    ]
    return [
        Case(
            run_id=shape.run_id, number=start + number, agent_id=agent_id, build_id=build.id, protocol="latency",
            **executing(operation), provider="own", algorithm=algorithm, variant="scalar", message_bytes=length,
            associated_data_bytes=associated, fill="counter", key_fill="counter", key_setup=key_setup, timings=TIMINGS,
            min_timing_ms=10.0,
            input_sha256=None if operation == "key-setup" else latency_input_sha256(
                "counter", "counter", length, associated, operation),
        )
        for number, (build, algorithm, (operation, key_setup, length, associated)) in enumerate(
            product(builds.values(), CALL_NS, messages))
    ]  # fmt: skip


def _measured(shape: Shape, cases: Sequence[Case], job_id: int, speeds: dict[int, float]) -> Iterator[dict[str, Any]]:
    chance = random.Random(11)
    at = now() - timedelta(minutes=2)
    position = 0
    for repetition in range(1, shape.repetitions + 1):
        for case in chance.sample(list(cases), len(cases)):
            fixed, each = CALL_NS[case.algorithm]
            call_ns = (fixed + each * case.message_bytes) * speeds[case.build_id] * chance.gauss(1, 0.004)
            call_ns /= 4 if Call.of(case.operation).is_batch else 1
            yield {
                "run_id": shape.run_id, "case_id": case.id, "job_id": job_id, "repetition": repetition,
                "purpose": "timing", "position": position, "state": "ok", "disturbed": False, "attempt": 1,
                "started_at": at, "stored_at": at, "process_wall_ns": 190_000_000, "call_wall_ns": call_ns,
                "call_cpu_ns": call_ns * 0.998, "peak_rss_bytes": 900 * KIB, "failure": None,
                "output_sha256": _digest(case) if check_of(case.operation) == "digest" else None,
                "readings": _readings(call_ns, "key_setup" if case.operation == "key-setup" else "call"),
            }  # fmt: skip
            position += 1


def _readings(call_ns: float, first: str) -> dict[str, Any]:
    return {
        "iterations": round(10e6 / call_ns), f"cold_{first}_wall_ns": round(call_ns * 4.2), "call_cycles": None,
        "derived_call_cycles": call_ns * 0.998 * CORE_HZ / 1e9, "core_clock_hz": CORE_HZ,
        "absent": {"call_cycles": COUNTERS_REASON, "call_instructions": COUNTERS_REASON},
    }  # fmt: skip


def _skipped(shape: Shape, cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    for repetition, case in product(range(1, shape.repetitions + 1), cases):
        yield {
            "run_id": shape.run_id, "case_id": case.id, "repetition": repetition, "purpose": "timing",
            "state": "skipped", "disturbed": False, "failure": {"error": "build-failed", "detail": COMPILER_SAID},
        }  # fmt: skip


def _add_timings(session: Session, run_id: str) -> None:
    for execution in session.query(Execution).filter_by(run_id=run_id, state="ok"):
        readings = execution.readings or {}
        calls, call_ns = int(readings["iterations"]), execution.call_wall_ns or 0.0
        wall_ns = [round(calls * call_ns * share) for share in (1.02, 0.99, 1.0, 1.003, 0.998)]
        message = TimingsMessage(
            iterations=[calls] * TIMINGS, wall_ns=wall_ns, cpu_ns=[round(value * 0.998) for value in wall_ns],
            cycles=[None] * TIMINGS, instructions=[None] * TIMINGS, core_clock_hz=[None, *[CORE_HZ] * (TIMINGS - 1)],
            derived_cycles=[None, *(value * 0.998 * CORE_HZ / 1e9 for value in wall_ns[1:])],
        )  # fmt: skip
        session.add(Timings(execution_id=execution.id, timings=TIMINGS, columns=timings.encode(message)))


def _digest(case: Case) -> str:
    return sha256_of(f"{case.algorithm} {case.input_sha256}")


def sha256_of(text: str) -> str:
    """Return an arbitrary digest of a program or a ciphertext."""
    return hashlib.sha256(text.encode()).hexdigest()
