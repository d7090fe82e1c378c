"""The command line against a real service: watching outlives the service's death; exit codes say what happened."""

import json
import subprocess
import time

from orchestrator.database.engine import Database
from tests.support.queued_jobs import fill_agent, fill_run
from tests.support.up_process import UpProcess, wait_for

RUN = "rrrrrrrrrrrr"


def fill(up: UpProcess) -> None:
    database = Database(f"sqlite:///{up.data / 'ciphermark.sqlite'}")
    fill_agent(database, approved=False)
    fill_run(database, RUN, jobs=3)
    database.close()


class TestRuns:
    def test_watching_outlives_the_service_and_tells_of_the_cancellation(self, up: UpProcess) -> None:
        up.wait_until_up()
        fill(up)
        watching = subprocess.Popen(
            up.command("runs", "watch", RUN),
            env=up.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            time.sleep(3)
            killed = up.children()["service"]
            killed.kill()
            wait_for(lambda: not killed.is_running() and up.ready(), "the service's return")
            assert watching.poll() is None
            cancelled = up.ciphermark("runs", "cancel", RUN, "--json")
            assert json.loads(cancelled.stdout)["state"] == "cancelled"
            _, errors = watching.communicate(timeout=60)
        finally:
            watching.kill()
            watching.wait()
        assert watching.returncode == 10
        assert "The run is cancelled" in errors

    def test_what_is_listed_shown_and_exported(self, up: UpProcess) -> None:
        up.wait_until_up()
        fill(up)
        (listed,) = json.loads(up.ciphermark("runs", "list", "--json").stdout)
        assert (listed["id"], listed["executions_total"]) == (RUN, 3)
        shown = up.ciphermark("runs", "show", RUN)
        assert "0 of 3 (0.0 %)" in shown.stdout
        exported = up.data / "run.csv"
        assert up.ciphermark("runs", "export", RUN, "-o", str(exported)).returncode == 0
        assert len(exported.read_text().splitlines()) == 4

    def test_unknown_ones_end_with_4_and_their_remedy(self, up: UpProcess) -> None:
        up.wait_until_up()
        missing = up.ciphermark("runs", "show", "nosuchrun")
        assert missing.returncode == 4
        assert "ciphermark runs list" in missing.stderr
        told = json.loads(up.ciphermark("runs", "show", "nosuchrun", "--json").stderr)
        assert told["error"] == "not-found"


class TestTokens:
    def test_a_join_token_is_made_listed_and_revoked(self, up: UpProcess) -> None:
        up.wait_until_up()
        made = json.loads(up.ciphermark("token", "create", "--role", "agent", "--json").stdout)
        assert made["role"] == "join"
        assert made["expires_at"] is not None
        quiet = up.ciphermark("token", "create", "--role", "viewer", "--quiet").stdout
        assert quiet.startswith("cm_viewer_")
        assert up.ciphermark("token", "revoke", made["id"]).returncode == 0
        assert "revoked" in up.ciphermark("token", "list").stdout
