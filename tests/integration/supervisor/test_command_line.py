"""The command line with a real service: watch survives a restart, and exit codes name the outcome."""

import json
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from orchestrator.database.engine import Database
from orchestrator.database.models import Execution
from orchestrator.runs.jobs.service import settle
from tests.support.queued_jobs import fill_agent, fill_run
from tests.support.up_process import SECONDS, UpProcess
from tests.support.waiting import until


@pytest.fixture(scope="module")
def up(shared_up: UpProcess) -> UpProcess:
    """Return the shared `up` with one more agent: each test of this file has a run of its own."""
    with closing(database_of(shared_up)) as database:
        fill_agent(database, approved=False)
    return shared_up


def database_of(up: UpProcess) -> Database:
    return Database(f"sqlite:///{up.data / 'ciphermark.sqlite'}")


def fill(up: UpProcess, run_id: str) -> list[int]:
    """Store a run of three executions; return the ids of its jobs."""
    with closing(database_of(up)) as database:
        return fill_run(database, run_id, jobs=3)


def listed(up: UpProcess) -> dict[str, dict[str, Any]]:
    """Return the runs that the command line lists, by id."""
    return {run["id"]: run for run in json.loads(up.ciphermark("runs", "list", "--json").stdout)}


def finish(up: UpProcess, job_id: int) -> None:
    """Mark the job as done, which is an event of its run."""
    with closing(database_of(up)) as database, database.write() as session:
        session.execute(update(Execution).where(Execution.job_id == job_id).values(state="ok"))
        settle(session, [job_id])


class TestRuns:
    @pytest.mark.long
    def test_watch_survives_a_restart_and_reports_the_cancellation(self, up: UpProcess) -> None:
        run_id = "watched00001"
        first, *_ = fill(up, run_id)
        shown = up.data / "watching.log"
        with shown.open("wb") as output:
            watching = subprocess.Popen(
                up.command("runs", "watch", run_id),
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
            cancelled = up.ciphermark("runs", "cancel", run_id, "--json")
            assert json.loads(cancelled.stdout)["state"] == "cancelled"
            watching.wait(60)
        finally:
            watching.kill()
            watching.wait()
        assert watching.returncode == 10
        assert "The run is cancelled" in shown.read_text()

    def test_runs_are_listed_shown_and_exported(self, up: UpProcess, tmp_path: Path) -> None:
        run_id = "listed000001"
        fill(up, run_id)
        assert listed(up)[run_id]["executions_total"] == 3
        shown = up.ciphermark("runs", "show", run_id)
        assert "0 of 3 (0.0 %)" in shown.stdout
        exported = tmp_path / "run.csv"
        assert up.ciphermark("runs", "export", run_id, "-o", str(exported)).returncode == 0
        assert len(exported.read_text().splitlines()) == 4
        page = tmp_path / "run.html"
        assert up.ciphermark("runs", "export", run_id, "--html", "-o", str(page)).returncode == 0
        assert page.read_text().startswith("<!doctype html>")

    def test_run_is_shared_by_a_link_until_it_is_revoked(self, up: UpProcess) -> None:
        run_id = "given0000001"
        fill(up, run_id)
        shared = up.ciphermark("runs", "share", run_id, "--expires", "1h")
        assert httpx.get(shared.stdout.strip(), timeout=SECONDS).status_code == 200
        assert f"ciphermark runs share {run_id} --revoke" in shared.stderr  # in one line
        link = shared.stderr.split("--revoke")[1].strip()
        assert up.ciphermark("runs", "share", run_id, "--revoke", link).returncode == 0
        assert httpx.get(shared.stdout.strip(), timeout=SECONDS).status_code == 401

    @pytest.mark.long
    def test_ended_run_is_deleted_after_a_question(self, up: UpProcess) -> None:
        run_id = "deleted00001"
        fill(up, run_id)
        open_run = up.ciphermark("runs", "delete", run_id, "--yes")
        assert open_run.returncode != 0
        assert "Cancel it first" in open_run.stderr
        assert up.ciphermark("runs", "cancel", run_id).returncode == 0
        for answer in ("n\n", ""):
            kept = up.ciphermark("runs", "delete", run_id, given=answer)
            assert kept.returncode != 0
            assert f"Delete run {run_id} with all its results?" in kept.stdout + kept.stderr
        assert run_id in listed(up)
        assert "is deleted" in up.ciphermark("runs", "delete", run_id, given="y\n").stdout
        assert run_id not in listed(up)

    def test_unknown_run_exits_with_4_and_a_remedy(self, up: UpProcess) -> None:
        missing = up.ciphermark("runs", "show", "nosuchrun")
        assert missing.returncode == 4
        assert "ciphermark runs list" in missing.stderr
        problem = json.loads(up.ciphermark("runs", "show", "nosuchrun", "--json").stderr)
        assert problem["error"] == "not-found"


class TestRestore:
    def test_restore_is_refused_while_up_runs(self, up: UpProcess) -> None:
        (backup,) = json.loads(up.ciphermark("backup", "--json").stdout)
        refused = up.ciphermark("restore", backup["folder"])
        assert refused.returncode != 0
        assert "already running" in refused.stderr
