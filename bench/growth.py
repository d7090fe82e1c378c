"""CPU time of storing a batch of records in databases of 10⁴, 10⁵ and 10⁶ executions, side by side.

Each database has one run of 1000 cases, filled by bulk inserts with realistic documents (about 4.5 KB of readings for
each execution). Batches of 200 records, spread over the cases as the interleaved order spreads them, are then stored
by the function that the endpoint calls. The databases take turns batch by batch, so that other load of the machine
meets all of them. CPU time is that of the process: validation of the JSON body, and the write transaction.

Usage: .venv/bin/python bench/growth.py [--executions 10000 100000 1000000] [--batches 15] [--folder FOLDER]
Needs about 6 KB of disk for each execution in FOLDER (default: a temporary folder).
"""

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from bench._options import options
from orchestrator.database.engine import Database
from orchestrator.database.models import Execution, GrantedClaim, Job, Run, now
from orchestrator.results import ingest
from orchestrator.shared.values.boot_clock import boot_time
from orchestrator.wire.metrics.registry import registry
from orchestrator.wire.records import RecordBatch
from tests.support.result_world import AGENT, CHUNK, INVENTORY_SHA256, SESSION, World, make_world

CASES = 1000
BATCH = 200
EXECUTIONS_PER_JOB = 500
SINCE_CLAIM_SECONDS = 600
"""Age of the claims, in which the executions of their jobs have room."""
ROWS_AT_ONCE = 20_000
LIMIT_SECONDS = 0.15
LIMIT_RATIO = 1.3
RUN = "run000000001"
ABSENT = "the kernel offers no such counter on this machine (perf_event_open: ENOENT), see docs/measurement.md"
ALGORITHMS = 20


@dataclass
class Filled:
    """A database with ended executions, and batches that wait to be stored."""

    executions: int
    world: World
    waiting: list[tuple[int, int, int]]
    """(case, repetition, job) of the executions without a record, in their randomized order."""
    claims: dict[int, int]
    """Claim of each job, which its records name."""


def readings(noise: random.Random) -> dict[str, Any]:
    """Return 76 readings, 14 of them absent with a reason: about 4.5 KB, as a daemon on x86-64 reports them."""
    names = [name for name, metric in registry().items() if not metric.column and "energy" not in name][:76]
    kinds = registry()
    values = {
        name: noise.randrange(10**6, 10**9) if kinds[name].kind == "integer" else noise.random() for name in names
    }
    absent = dict.fromkeys(names[:14], ABSENT)
    return {"values": {**values, **dict.fromkeys(absent)}, "absent": absent}


def fill(folder: Path, executions: int, batches: int) -> Filled:
    """Make a database with this number of ended executions, and the waiting ones of some batches."""
    world = make_world(folder)
    names = [f"case{number}" for number in range(CASES)]
    cases = world.lay_out({name: _case(number) for number, name in enumerate(names)}, run_id=RUN, repetitions=0)
    ids = list(cases.values())
    ended, further = executions // CASES, -(-batches * BATCH // CASES)
    noise = random.Random(1)
    with world.database.write() as session:
        session.query(Job).delete()
        total = (ended + further) * CASES
        session.query(Run).update({"executions_total": total})
        session.add_all(
            Job(run_id=RUN, agent_id=AGENT, number=number, state="done", executions_total=EXECUTIONS_PER_JOB)
            for number in range(total // EXECUTIONS_PER_JOB)
        )
        session.flush()
        jobs = list(session.scalars(select(Job.id).order_by(Job.number)))
        session.add_all(_claim(job_id) for job_id in jobs)
        session.flush()
        claims = {row.job_id: row.id for row in session.execute(select(GrantedClaim.job_id, GrantedClaim.id))}
    _insert(world.database, _ended_rows(ids, jobs, ended, noise))
    waiting = _waiting(ids, jobs, range(ended + 1, ended + further + 1), noise)
    _insert(world.database, (
        {"run_id": RUN, "case_id": case_id, "job_id": job_id, "repetition": repetition, "position": position,
         "purpose": "timing", "state": "waiting"}
        for position, (case_id, repetition, job_id) in enumerate(waiting, ended * CASES)
    ))  # fmt: skip
    return Filled(executions, world, waiting, claims)


def _claim(job_id: int) -> GrantedClaim:
    granted = boot_time()
    return GrantedClaim(
        job_id=job_id, agent_id=AGENT, session_id=SESSION, attempt=1, boot_id=granted.boot_id,
        granted_at=now() - timedelta(seconds=SINCE_CLAIM_SECONDS),
        granted_boot_ns=granted.at_ns - SINCE_CLAIM_SECONDS * 10**9,
    )  # fmt: skip


def _case(number: int) -> dict[str, Any]:
    return {
        "protocol": "process", "operation": "key-setup+encrypt+decrypt", "algorithm": f"cipher-{number % ALGORITHMS}",
        "variant": "ref", "input_sha256": f"{number // ALGORITHMS:064x}", "input_kind": "random",
        "message_bytes": len(CHUNK), "provider": f"provider{number % 3}",
    }  # fmt: skip


def _waiting(
    ids: Sequence[int], jobs: Sequence[int], repetitions: range, noise: random.Random
) -> list[tuple[int, int, int]]:
    order = []
    for repetition in repetitions:
        order += [(case_id, repetition) for case_id in noise.sample(ids, len(ids))]
    first = (repetitions.start - 1) * len(ids)
    return [(*one, jobs[(first + place) // EXECUTIONS_PER_JOB]) for place, one in enumerate(order)]


def _ended_rows(
    ids: Sequence[int], jobs: Sequence[int], repetitions: int, noise: random.Random
) -> Iterator[dict[str, Any]]:
    documents = [readings(noise) for _ in range(50)]  # Making a million of them would take longer than storing them.
    found = [{**one["values"], "absent": one["absent"], "disturbances": [], "provenance": {}} for one in documents]
    place, at = 0, now()
    for repetition in range(1, repetitions + 1):
        for case_id in noise.sample(ids, len(ids)):
            encrypt_ns = round(1_000_000 * noise.lognormvariate(0, 0.02))
            yield {
                "run_id": RUN, "case_id": case_id, "job_id": jobs[place // EXECUTIONS_PER_JOB], "position": place,
                "repetition": repetition, "purpose": "timing", "state": "ok", "attempt": 1, "session_id": SESSION,
                "started_at": at, "stored_at": at, "work_wall_ns": 2_300_000 + 2 * encrypt_ns,
                "process_wall_ns": 2_600_000 + 2 * encrypt_ns,
                "phase_wall_ns": {"key_setup": 900, "encrypt": encrypt_ns, "decrypt": encrypt_ns},
                "work_cpu_ns": 2_100_000 + 2 * encrypt_ns, "peak_rss_bytes": 700_000,
                "output_sha256": "c" * 64, "disturbed": False, "readings": found[place % len(found)],
            }  # fmt: skip
            place += 1


def _insert(database: Database, rows: Iterator[dict[str, Any]]) -> None:
    while part := list(islice(rows, ROWS_AT_ONCE)):
        with database.write() as session:
            session.execute(insert(Execution), part)


def bodies(filled: Filled, batches: int) -> list[bytes]:
    """Return the JSON bodies of the batches, as a daemon sends them."""
    noise, found = random.Random(2), []
    for start in range(0, batches * BATCH, BATCH):
        rows = filled.waiting[start : start + BATCH]
        records = [_record(*row, noise) | {"claim_id": filled.claims[row[2]]} for row in rows]
        found.append(json.dumps({"records": records}).encode())
    return found


def _record(case_id: int, repetition: int, job_id: int, noise: random.Random) -> dict[str, Any]:
    one, encrypt_ns = readings(noise), round(1_000_000 * noise.lognormvariate(0, 0.02))
    return {
        "case_id": case_id, "repetition": repetition, "position": 0, "job_id": job_id, "attempt": 1,
        "session_id": SESSION, "inventory_sha256": INVENTORY_SHA256, "started_at": datetime.now(UTC).isoformat(),
        "since_claim_ns": 10**9,
        "state": "ok", "work_wall_ns": 2_300_000 + 2 * encrypt_ns, "process_wall_ns": 2_600_000 + 2 * encrypt_ns,
        "phase_wall_ns": {"key_setup": 900, "encrypt": encrypt_ns, "decrypt": encrypt_ns},
        "work_cpu_ns": 2_100_000 + 2 * encrypt_ns,
        "peak_rss_bytes": 700_000, "output_sha256": "c" * 64, "readings": one["values"], "absent": one["absent"],
        "curve": {"at_ns": [0, 10**6, 2 * 10**6], "rss_bytes": [10**6, 4 * 10**6, 6 * 10**6]},
    }  # fmt: skip


@dataclass
class Cost:
    """CPU seconds of one batch."""

    parsed: float
    stored: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.parsed + self.stored


def store(filled: Filled, body: bytes) -> Cost:
    """Validate and store one batch; return its CPU times."""
    begin = time.process_time()
    batch = RecordBatch.model_validate_json(body)
    parsed = time.process_time()
    answer = ingest.store(filled.world.database, AGENT, batch)
    end = time.process_time()
    if answer.stored != BATCH:
        raise SystemExit(f"growth: {answer.stored} of {BATCH} records were stored: {list(answer.refused.items())[:3]}")
    return Cost(parsed - begin, end - parsed)


def main() -> int:
    """Fill, store in turns, print; 1 when a batch costs more than the limits."""
    given = options(__doc__, executions=[10_000, 100_000, 1_000_000], batches=15, folder=Path)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=given.folder)))
        filled = []
        for executions in given.executions:
            begin = time.monotonic()
            filled.append(fill(folder / str(executions), executions, given.batches))
            size = (filled[-1].world.settings.data_folder / "ciphermark.sqlite").stat().st_size
            print(f"{executions} executions, {size / executions:.0f} bytes each, {time.monotonic() - begin:.0f} s")
        costs = measure(filled, given.batches)
        for one in filled:
            one.world.database.close()
    print(f"{'executions':>10} {'median':>9} {'worst':>9} {'parsing':>9} {'storing':>9}   CPU ms of a batch of {BATCH}")
    for executions, found in costs.items():
        median, worst = (1000 * pick([cost.total for cost in found]) for pick in (statistics.median, max))
        parsing = 1000 * statistics.median(cost.parsed for cost in found)
        storing = 1000 * statistics.median(cost.stored for cost in found)
        print(f"{executions:>10} {median:>9.1f} {worst:>9.1f} {parsing:>9.1f} {storing:>9.1f}")
    medians = [statistics.median(cost.total for cost in found) for found in costs.values()]
    ratio = medians[-1] / medians[0]
    print(f"largest median {max(medians):.3f} s, aim {LIMIT_SECONDS} s; ratio {ratio:.2f}, aim {LIMIT_RATIO}")
    return 0 if max(medians) <= LIMIT_SECONDS and ratio <= LIMIT_RATIO else 1


def measure(filled: Sequence[Filled], batches: int) -> dict[int, list[Cost]]:
    """Store the batches of all databases in turns; return the costs, without those of the first batch."""
    prepared = [bodies(one, batches) for one in filled]
    costs: dict[int, list[Cost]] = {one.executions: [] for one in filled}
    for number in range(batches):
        for one, own in zip(filled, prepared, strict=True):
            cost = store(one, own[number])
            if number:  # The first batch also prepares statements and fills caches.
                costs[one.executions].append(cost)
    return costs


if __name__ == "__main__":
    sys.exit(main())
