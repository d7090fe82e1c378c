"""An agent that is switched off makes its run wait, for as long as it takes."""

import os
import subprocess
import time
from pathlib import Path

from tests.acceptance.system import CIPHERMARK, System, a_plan, assert_exactly_once, wait_until

# The issue asks for ten minutes; CI cannot wait that long, a person can: CIPHERMARK_TEST_SILENCE_SECONDS=600.
SILENCE_SECONDS = float(os.environ.get("CIPHERMARK_TEST_SILENCE_SECONDS", "15"))


def test_the_run_waits_for_its_agent_and_goes_on(tmp_path: Path, cache_folder: Path) -> None:
    with System(tmp_path, cache_folder) as system:
        run_id = system.submit(a_plan(repetitions=60))
        system.wait_for_progress(run_id, 10)
        # Stopped for good: the supervisor would start it again, so its program must fail until we say otherwise.
        identity = tmp_path / "agent" / "identity.json"
        hidden = identity.rename(identity.with_suffix(".hidden"))
        system.part("daemon").kill()
        wait_until(lambda: system.get(f"/runs/{run_id}")["waiting_for"], 30, "waiting for agent")
        waiting = system.states(run_id)["waiting"]
        listed = subprocess.run(
            [*CIPHERMARK, "runs", "show", run_id], env=system.environment, capture_output=True, text=True, check=False
        )
        assert "waiting for agent" in listed.stdout
        time.sleep(SILENCE_SECONDS)
        assert system.states(run_id)["waiting"] == waiting > 0
        hidden.rename(identity)
        system.wait_for_run(run_id)
        assert_exactly_once(system, run_id, 3 * 2 * 60)
