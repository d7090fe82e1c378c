"""The command line with a real service: watch survives a restart, and exit codes name the outcome."""

import json
import subprocess

from sqlalchemy import update

from orchestrator.database.engine import Database
from orchestrator.database.models import Execution
from orchestrator.runs.jobs.service import settle
from tests.support.queued_jobs import fill_agent, fill_run
from tests.support.up_process import SECONDS, UpProcess
from tests.support.waiting import until

RUN = "rrrrrrrrrrrr"


def fill(up: UpProcess) -> list[int]:
    """Store a run of three executions; return the ids of its jobs."""
    database = Database(f"sqlite:///{up.data / 'ciphermark.sqlite'}")
    fill_agent(database, approved=False)
    jobs = fill_run(database, RUN, jobs=3)
    database.close()
    return jobs


def finish(up: UpProcess, job_id: int) -> None:
    """Mark the job as done, which is an event of its run."""
    database = Database(f"sqlite:///{up.data / 'ciphermark.sqlite'}")
    with database.write() as session:
        session.execute(update(Execution).where(Execution.job_id == job_id).values(state="ok"))
        settle(session, [job_id])
    database.close()


class TestRuns:
    def test_watch_survives_a_restart_and_reports_the_cancellation(self, up: UpProcess) -> None:
        up.wait_until_up()
        first, *_ = fill(up)
        shown = up.data / "watching.log"
        with shown.open("wb") as output:
            watching = subprocess.Popen(
                up.command("runs", "watch", RUN),
                env=up.environment | {"FORCE_COLOR": "1"},  # The bar is drawn although the output is a file.
                stdout=output,
                stderr=output,
            )
        try:
            until(lambda: "0%" in shown.read_text(), "the progress bar", SECONDS)
            finish(up, first)
            # Only an event moves the bar: from here on the watcher listens.
            until(lambda: "33%" in shown.read_text(), "the first event in the progress bar", SECONDS)
            killed = up.children()["service"]
            killed.kill()
            until(lambda: not killed.is_running() and up.ready(), "the service's return", SECONDS)
            assert watching.poll() is None
            cancelled = up.ciphermark("runs", "cancel", RUN, "--json")
            assert json.loads(cancelled.stdout)["state"] == "cancelled"
            watching.wait(60)
        finally:
            watching.kill()
            watching.wait()
        assert watching.returncode == 10
        assert "The run is cancelled" in shown.read_text()

    def test_runs_are_listed_shown_and_exported(self, up: UpProcess) -> None:
        up.wait_until_up()
        fill(up)
        (listed,) = json.loads(up.ciphermark("runs", "list", "--json").stdout)
        assert (listed["id"], listed["executions_total"]) == (RUN, 3)
        shown = up.ciphermark("runs", "show", RUN)
        assert "0 of 3 (0.0 %)" in shown.stdout
        exported = up.data / "run.csv"
        assert up.ciphermark("runs", "export", RUN, "-o", str(exported)).returncode == 0
        assert len(exported.read_text().splitlines()) == 4

    def test_ended_run_is_deleted_after_a_question(self, up: UpProcess) -> None:
        up.wait_until_up()
        fill(up)
        open_run = up.ciphermark("runs", "delete", RUN, "--yes")
        assert open_run.returncode != 0
        assert "Cancel it first" in open_run.stderr
        assert up.ciphermark("runs", "cancel", RUN).returncode == 0
        for answer in ("n\n", ""):
            kept = up.ciphermark("runs", "delete", RUN, given=answer)
            assert kept.returncode != 0
            assert f"Delete run {RUN} with all its results?" in kept.stdout + kept.stderr
        assert len(json.loads(up.ciphermark("runs", "list", "--json").stdout)) == 1
        assert "is deleted" in up.ciphermark("runs", "delete", RUN, given="y\n").stdout
        assert json.loads(up.ciphermark("runs", "list", "--json").stdout) == []

    def test_unknown_run_exits_with_4_and_a_remedy(self, up: UpProcess) -> None:
        up.wait_until_up()
        missing = up.ciphermark("runs", "show", "nosuchrun")
        assert missing.returncode == 4
        assert "ciphermark runs list" in missing.stderr
        problem = json.loads(up.ciphermark("runs", "show", "nosuchrun", "--json").stderr)
        assert problem["error"] == "not-found"


class TestRestore:
    def test_restore_is_refused_while_up_runs_and_names_the_replaced_database(self, up: UpProcess) -> None:
        up.wait_until_up()
        fill(up)
        (backup,) = json.loads(up.ciphermark("backup", "--json").stdout)
        up.ciphermark("runs", "cancel", RUN)
        refused = up.ciphermark("restore", backup["folder"])
        assert refused.returncode != 0
        assert "already running" in refused.stderr
        up.end()
        absent = up.ciphermark("restore", str(up.data / "no-backup"))
        assert absent.returncode != 0
        assert "ciphermark backup --list" in absent.stderr
        restored = up.ciphermark("restore", backup["folder"])
        assert restored.returncode == 0
        assert "Restored 0 executions of" in restored.stdout
        assert "The replaced database is" in restored.stdout
        up.start()
        up.wait_until_up()
        (run,) = json.loads(up.ciphermark("runs", "list", "--json").stdout)
        assert run["state"] == "running"


class TestTokens:
    def test_join_token_is_created_listed_and_revoked(self, up: UpProcess) -> None:
        up.wait_until_up()
        made = json.loads(up.ciphermark("token", "create", "--role", "agent", "--json").stdout)
        assert made["role"] == "join"
        assert made["expires_at"] is not None
        quiet = up.ciphermark("token", "create", "--role", "viewer", "--quiet").stdout
        assert quiet.startswith("cm_viewer_")
        assert up.ciphermark("token", "revoke", made["id"]).returncode == 0
        assert "revoked" in up.ciphermark("token", "list").stdout
