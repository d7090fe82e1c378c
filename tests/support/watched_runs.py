"""Measured runs of a fleet without a daemon: laid out as the scheduler does, executions written through models."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from sqlalchemy import select, update

from orchestrator.database.models import Case, Execution, Job, Run, now
from orchestrator.runs.scheduling.service import lay_out_next
from tests.support.database import add_statistics
from tests.support.fleet import Fleet
from tests.support.phases import with_phases
from tests.support.untraced import untraced

BETWEEN_RUNS = 0.004
WITHIN_RUNS = 0.005
ENCRYPT_NS = 1_000_000


@untraced()
def measure(
    fleet: Fleet,
    run_id: str,
    seed: int,
    factors: Mapping[str, float] | None = None,
    failing: Collection[str] = (),
) -> None:
    """Lay a run out and finish it: seeded times, longer by the factor of each case's provider.

    failing: providers whose executions crash.
    """
    assert lay_out_next(fleet.database, fleet.served.settings)
    chance = np.random.default_rng(seed)
    with fleet.database.write() as session:
        cases = session.scalars(select(Case).where(Case.run_id == run_id).order_by(Case.id)).all()
        for case in cases:
            usual = ENCRYPT_NS * (factors or {}).get(case.provider, 1.0) * np.exp(chance.normal(0, BETWEEN_RUNS))
            for execution in session.scalars(select(Execution).where(Execution.case_id == case.id)):
                if case.provider in failing:
                    execution.state, execution.failure = "failed", {"error": "runner-crashed", "detail": ""}
                    continue
                encrypt = round(usual * np.exp(chance.normal(0, WITHIN_RUNS)))
                for name, value in _facts(encrypt).items():
                    setattr(execution, name, value)
        session.execute(update(Job).where(Job.run_id == run_id).values(state="done", finished_at=now()))
        ended: dict[str, Any] = {"state": "finished", "started_at": now(), "finished_at": now()}
        session.execute(update(Run).where(Run.id == run_id).values(**ended))
        session.expunge_all()
    add_statistics(fleet.database, cases)


def _facts(encrypt_ns: int) -> dict[str, Any]:
    return with_phases(
        state="ok", attempt=1, started_at=now(), stored_at=now(), encrypt_wall_ns=encrypt_ns,
        decrypt_wall_ns=encrypt_ns, work_wall_ns=2 * encrypt_ns + 3_000_000,
        process_wall_ns=2 * encrypt_ns + 4_000_000, work_cpu_ns=2 * encrypt_ns, peak_rss_bytes=700_000,
        output_sha256="e" * 64, readings={},
    )  # fmt: skip
