"""S12: a drill with the whole system: backup, 500 more executions, loss of the database, restore, nothing is lost."""

import json
from pathlib import Path

import pytest

from tests.support.system import System, a_plan
from tests.support.waiting import until

BEFORE, MORE, AFTER = 50, 500, 100
REPETITIONS = 2000
"""Of 6 cases: more executions than the machine makes during the drill, so that the run goes on in each of its steps."""
SECONDS = 900.0
"""Only a failing test waits this long."""


@pytest.mark.long
def test_nothing_delivered_is_lost_after_a_restore(tmp_path: Path, cache_folder: Path) -> None:
    with System(tmp_path / "data", cache_folder, backup_hours="0") as system:
        run_id = system.submit(a_plan(repetitions=REPETITIONS))
        system.wait_for_progress(run_id, BEFORE, SECONDS)
        (backup,) = json.loads(system.command("backup", "--json"))
        saved = backup["description"]["executions"]
        assert saved >= BEFORE
        system.wait_for_progress(run_id, saved + MORE, SECONDS)
        system.stop()
        lost = measured(system, run_id)
        assert len(lost) >= saved + MORE
        for file in system.folder.glob("ciphermark.sqlite*"):
            file.unlink()
        printed = system.command("restore", backup["folder"])
        assert f"Restored {saved} executions" in printed
        assert system.stored(run_id) == saved
        system.start()
        # An execution that was made again would have another time.
        until(lambda: lost <= measured(system, run_id), "the delivery of all that the backup lacks", SECONDS)
        system.wait_for_progress(run_id, len(lost) + AFTER, SECONDS)
        assert system.states(run_id).keys() == {"ok", "waiting"}
        assert system.rows("SELECT kind, detail FROM false_reports") == []
        system.post(f"/runs/{run_id}/cancel")
        assert system.wait_for_run(run_id, SECONDS)["state"] == "cancelled"


def measured(system: System, run_id: str) -> set[tuple[object, ...]]:
    """Return the results of a run, each with its times."""
    columns = "case_id, repetition, purpose, session_id, process_wall_ns, work_wall_ns"
    return {
        tuple(row)
        for row in system.rows(f"SELECT {columns} FROM executions WHERE run_id = ? AND state <> 'waiting'", run_id)
    }
