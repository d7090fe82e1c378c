"""A database as it looks after a run of masked ciphers with two generators and three numbers of shares, on two agents.

Times come from a simple model (a cost per call and byte, random bytes at the rate of the generator, seeded noise).
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Build, Case, Execution, Proof, now
from orchestrator.database.rows import stored
from orchestrator.shared.units import KIB
from orchestrator.shared.values.forms import UNMASKED, Form
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.jobs import latency_input_sha256
from tests.support.database import add_job, add_statistics, agent_named
from tests.support.latency_results import finished_run, sha256_of
from tests.support.masking_evidence import COMPILATION, SOURCE
from tests.support.phases import executing
from tests.support.untraced import untraced

CALLS = (("encrypt", 16), ("decrypt", 16), ("encrypt", 128), ("decrypt", 128))
UNMASKED_NS = {"ascon-128": (200.0, 4.0), "gift-cofb": (400.0, 9.0), "xoodyak-round2": (150.0, 3.5),
               "isap-k-128a": (9000.0, 30.0), "chacha20-poly1305": (140.0, 3.0)}  # fmt: skip
"""Algorithm → nanoseconds of an empty call, and of each byte."""
DEGREES = {"ascon-128": ("full", "init-final"), "gift-cofb": ("full",), "xoodyak-round2": ("full", "init")}
GATES = {"ascon-128": (1.6, 60.0, 8.0), "gift-cofb": (1.0, 400.0, 14.0), "xoodyak-round2": (2.4, 300.0, 20.0)}
"""Algorithm → masked gates as a factor of the unmasked time with each share pair, random bytes of an empty call and of
each byte with each share pair."""
GENERATORS = {"chacha20": (True, 2.0), "free": (False, 0.05)}
"""Generator → whether it is secure, and nanoseconds of a random byte."""


@dataclass(frozen=True)
class Shape:
    """Size of the filled run."""

    run_id: str = "masked000001"
    repetitions: int = 8
    shares: Sequence[int] = (2, 4)
    agents: Sequence[str] = ("x86", "pi4")


@untraced()
def fill_masked(database: Database, shape: Shape) -> str:
    """Write the agents with their builds and a finished run; return the run's id. A variant masked32 is slower."""
    cases: list[Case] = []
    with database.write() as session:
        run = stored(session, finished_run(shape.run_id, "masked", shape.repetitions, 0))
        for name in shape.agents:
            agent_id = agent_named(session, name)
            own = _cases(shape, agent_id, _build(session, agent_id), start=len(cases))
            session.add_all(own)
            job_id = add_job(session, run, agent_id, len(own))
            session.execute(insert(Execution), list(_measured(shape, own, job_id, slow=name != shape.agents[0])))
            cases += own
        run.executions_total = len(cases) * shape.repetitions
    add_statistics(database, cases)
    return shape.run_id


def random_bytes(algorithm: str, form: Form, length_bytes: int) -> int:
    """Return the random bytes of a call."""
    _, empty, each = GATES[algorithm]
    pairs = form.shares * (form.shares - 1) / 2
    return round(pairs * (empty + (each * length_bytes if form.degree == "full" else 0)))


def call_ns(algorithm: str, form: Form, length_bytes: int) -> float:
    """Return the true time of a call on the first agent."""
    empty, each = UNMASKED_NS[algorithm]
    unmasked = empty + each * length_bytes
    if not form.shares:
        return unmasked
    pairs = form.shares * (form.shares - 1) / 2
    gates = GATES[algorithm][0] * pairs * (unmasked if form.degree == "full" else empty) + unmasked
    return gates + random_bytes(algorithm, form, length_bytes) * GENERATORS[form.generator][1]


def _build(session: Session, agent_id: str) -> Build:
    found = session.scalar(select(Build).where(Build.agent_id == agent_id, Build.build_key == sha256_of(agent_id)))
    if found is not None:
        return found
    listing = {
        "protocol": 2, "provider": "own", "version": "0.1.0", "build": COMPILATION, "implementations": [],
        "generators": [
            {"name": name, "secure": secure, "available": True, "reason": None}
            for name, (secure, _) in GENERATORS.items()
        ],
    }  # fmt: skip
    build = Build(
        agent_id=agent_id, build_key=sha256_of(agent_id), toolchain=Toolchain(optimization="O3").model_dump(),
        compiler_version="gcc 12.2.0", source_sha256=SOURCE,
        runners={"own": {"provider": "own", "sha256": "2" * 64, "size_bytes": 1, "listing": listing}},
    )  # fmt: skip
    stored(session, build)
    for algorithm in UNMASKED_NS:
        for variant in ("opt64", "masked64", "masked32"):
            names = {"build_id": build.id, "provider": "own", "algorithm": algorithm, "variant": variant}
            session.add(Proof(**names, passed=True))
    return build


def _cases(shape: Shape, agent_id: str, build: Build, start: int) -> list[Case]:
    rows = [(algorithm, "opt64", UNMASKED) for algorithm in UNMASKED_NS]
    rows += [
        (algorithm, "masked64", Form(shares, degree, generator))
        for algorithm, degrees in DEGREES.items()
        for degree in degrees
        for shares in shape.shares
        for generator in GENERATORS
    ]
    rows += [(algorithm, "masked32", form) for algorithm, variant, form in rows if form.degree == "full"]
    every = [(row, call) for row in rows for call in CALLS]
    return [
        Case(
            run_id=shape.run_id, number=number, agent_id=agent_id, build_id=build.id, protocol="latency",
            **executing(operation), provider="own", algorithm=algorithm, variant=variant, **form.fields,
            message_bytes=length, fill="counter", key_fill="counter", key_setup="included", timings=5,
            min_timing_ms=1.0, input_sha256=latency_input_sha256("counter", "counter", length, 0),
        )
        for number, ((algorithm, variant, form), (operation, length)) in enumerate(every, start)
    ]  # fmt: skip


def _measured(shape: Shape, cases: Sequence[Case], job_id: int, slow: bool) -> Iterator[dict[str, Any]]:
    chance = random.Random(11)
    at = now() - timedelta(minutes=2)
    position = 0
    for repetition in range(1, shape.repetitions + 1):
        for case in chance.sample(list(cases), len(cases)):
            form = Form.of(case)
            time_ns = call_ns(case.algorithm, form, case.message_bytes) * chance.gauss(1, 0.003)
            time_ns *= 1.5 if case.variant == "masked32" else 1
            # The other agent draws random bytes at a quarter of the speed.
            bytes_drawn = random_bytes(case.algorithm, form, case.message_bytes) if form.shares else 0
            drawing_ns = bytes_drawn * GENERATORS[form.generator][1] if form.shares else 0.0
            time_ns = 5 * (time_ns + 3 * drawing_ns) if slow else time_ns
            readings: dict[str, Any] = {"iterations": 1000, "absent": {"call_cycles": "no PMU"}}
            if form.shares:
                readings |= {"random_bytes": bytes_drawn, "random_wall_ns": drawing_ns * (20 if slow else 1)}
            yield {
                "run_id": shape.run_id, "case_id": case.id, "job_id": job_id, "repetition": repetition,
                "purpose": "timing", "position": position, "state": "ok", "disturbed": False, "attempt": 1,
                "started_at": at, "stored_at": at, "process_wall_ns": 190_000_000, "call_wall_ns": time_ns,
                "call_cpu_ns": time_ns, "peak_rss_bytes": 900 * KIB, "failure": None,
                "output_sha256": sha256_of(case.algorithm) if case.operation == "encrypt" else None,
                "readings": readings,
            }  # fmt: skip
            position += 1
