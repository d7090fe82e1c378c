"""A watch with decided looks, changes and reports, written through the models: for pages."""

from datetime import timedelta

import numpy as np

from orchestrator.database.engine import Database
from orchestrator.database.models import (
    Watch,
    WatchCase,
    WatchChange,
    WatchDelivery,
    WatchLook,
    WatchRun,
    now,
)
from tests.support.fleet import plan
from tests.support.untraced import untraced

LOOKS = 20
CHANGED_LOOK = 15


@untraced()
def fill_watches(database: Database) -> None:
    """Write a watch with a change after 15 of 20 looks, and one without looks that has a notice."""
    chance, begun = np.random.default_rng(5), now() - timedelta(days=LOOKS)
    with database.write() as session:
        session.add(
            Watch(
                id="watch0000001", name="nightly", plan=plan(), measure="encrypt", every_seconds=86_400,
                outlets=[{"kind": "webhook", "target": "https://ci.example.org/hook"}], created_by="ci",
                due_at=now() + timedelta(hours=3), looks=LOOKS,
            )
        )  # fmt: skip
        session.add(
            Watch(
                id="watch0000002", name="builds", plan=plan(), every_seconds=None, outlets=[], created_by="ci",
                notice="The look that was due at 2026-11-23 02:00 UTC was skipped: its baseline was deleted.",
                noticed_at=now(),
            )
        )  # fmt: skip
        session.flush()
        cases = [WatchCase(watch_id="watch0000001", key=str(number), facts=_facts(number)) for number in range(14)]
        session.add_all(cases)
        session.flush()
        for number in range(1, LOOKS + 1):
            changed = number == CHANGED_LOOK
            look = WatchLook(
                watch_id="watch0000001", number=number, state="decided", measure="encrypt", cases=len(cases),
                began_at=begun + timedelta(days=number), decided_at=begun + timedelta(days=number, hours=2),
                suspects=[cases[0].id] if changed else [], detectable=0.021 if number > 5 else None,
                reason="" if number > 5 else "Undecided: too few former runs.",
            )  # fmt: skip
            session.add(look)
            session.flush()
            slower = -0.04 if number >= CHANGED_LOOK else 0.0
            values = {str(case.id): float(chance.normal(20 + slower * (case is cases[0]), 0.005)) for case in cases}
            session.add(WatchRun(look_id=look.id, place=0, run_id="good00000001", state="ended", values=values))
            if changed:
                cases[0].levels, cases[0].lasting = [number], True
                change = {"ratio": 0.961, "low": 0.942, "high": 0.980, "worse": True, "new_runs": 8, "former_runs": 14}
                session.add(WatchChange(look_id=look.id, case_id=cases[0].id, **change))
                session.add(
                    WatchDelivery(
                        look_id=look.id, kind="webhook", target="https://ci.example.org/hook", state="failed", tries=5,
                        last_error="The webhook https://ci.example.org/hook answered 503; expected is 200 to 299.",
                    )
                )  # fmt: skip


def _facts(number: int) -> dict[str, object]:
    return {
        "agent_id": "agent0000001", "agent_name": "raspberrypi", "toolchain": "gcc -O2", "provider": "botan",
        "algorithm": "aes-192-cbc", "variant": "default", "copy_number": 1, "input_kind": "text",
        "length_bytes": 1024 * (number + 1), "operation": "", "key_setup": "", "associated_data_bytes": 0,
    }  # fmt: skip
