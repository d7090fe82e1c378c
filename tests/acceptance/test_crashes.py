"""`kill -9` of every program during a run: the run continues, and every execution has exactly one result."""

import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import psutil
import pytest

from tests.support.processes import killed_at_work
from tests.support.seldom import seldom
from tests.support.system import CIPHERMARK, System, a_plan, assert_exactly_once
from tests.support.waiting import GENEROUS_SECONDS, until

EXECUTIONS = 3 * 2 * 60
BACK_SECONDS = GENEROUS_SECONDS
SELDOM_KILLED = ("scheduler", "service", "redis", "launcher", "runner")
"""Programs that only `make test-all` kills."""
RUNNING_JOBS = "SELECT 1 FROM jobs WHERE run_id = ? AND state = 'running'"


def long_plan() -> dict[str, object]:
    """Return a plan that lasts long enough for a kill during its run."""
    matrix = [
        {
            "providers": ["own", "cryptopp", "botan"],
            "algorithms": ["aes-128-cbc", "chacha20-256"],
            "inputs": {"kinds": ["video"], "sizes": ["1 MiB"]},
        }
    ]
    return a_plan(name="long", repetitions=60, matrix=matrix)


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    ["daemon", *seldom(*SELDOM_KILLED)],
)
def test_run_continues_after_kill_9(system: System, name: str) -> None:
    run_id = system.submit(long_plan())
    system.wait_for_progress(run_id, 20)
    if name == "runner":
        until(lambda: killed_at_work(system.part(name)), "a runner that is killed before its end")
    else:
        system.part(name).kill()
    done = EXECUTIONS - system.states(run_id)["waiting"]
    system.wait_for_progress(run_id, min(done + 1, EXECUTIONS), seconds=BACK_SECONDS)
    assert system.wait_for_run(run_id)["state"] == "finished"
    # No execution failed: what a killed launcher or runner was executing is executed again.
    assert_exactly_once(system, run_id, EXECUTIONS)
    if name in ("launcher", "runner"):
        query = "SELECT id FROM executions WHERE run_id = ? AND earlier_attempts IS NOT NULL"
        (repeated,) = system.rows(query, run_id)
        (attempt,) = system.get(f"/executions/{repeated['id']}")["earlier_attempts"]
        assert attempt["error"] == ("launch-failed" if name == "launcher" else "runner-killed")


@pytest.mark.long
def test_job_survives_many_kills_of_the_daemon(system: System) -> None:
    """Regression: three kills of the daemon within one job lost the job, and the run failed (S5)."""
    run_id = system.submit(long_plan() | {"seed": 2})
    for kill in range(1, 6):
        system.wait_for_progress(run_id, min(20 * kill, EXECUTIONS - 1), seconds=BACK_SECONDS)
        system.part("daemon").kill()
    assert system.wait_for_run(run_id)["state"] == "finished"
    assert_exactly_once(system, run_id, EXECUTIONS)


@pytest.mark.long
def test_runner_ends_with_a_killed_daemon(system: System) -> None:
    run_id = system.submit(long_plan())
    system.wait_for_progress(run_id, 20)
    daemon = system.part("daemon")
    below = daemon.children(recursive=True)
    daemon.kill()
    _, alive = psutil.wait_procs(below, timeout=GENEROUS_SECONDS)
    assert alive == []
    system.wait_for_run(run_id)
    assert_exactly_once(system, run_id, EXECUTIONS)


@pytest.mark.long
def test_run_continues_after_redis_lost_all_data(system: System) -> None:
    run_id = system.submit(long_plan())
    system.wait_for_progress(run_id, 20)
    redis = system.part("redis")
    redis.suspend()  # so that nothing is written after the wipe
    for path in (system.folder / "redis").rglob("*"):
        if path.is_file() and path.suffix in (".aof", ".rdb", ".manifest"):
            path.unlink()
    redis.kill()
    done = EXECUTIONS - system.states(run_id)["waiting"]
    system.wait_for_progress(run_id, min(done + 1, EXECUTIONS), seconds=BACK_SECONDS)
    system.wait_for_run(run_id)
    assert_exactly_once(system, run_id, EXECUTIONS)


def copy_if_there(source: str, target: str) -> None:
    """Copy a file unless it has gone since the folder was listed: a daemon writes there."""
    with suppress(FileNotFoundError):
        shutil.copy2(source, target)


@pytest.mark.long
def test_copied_data_folder_is_rejected_as_a_second_daemon(system: System) -> None:
    copy = system.folder.parent / "cloned-card"
    shutil.copytree(system.folder / "agent", copy, ignore=shutil.ignore_patterns("*.sock"), copy_function=copy_if_there)
    # As `up` starts its agent: it trusts the certificate of the service.
    trusted = {"SSL_CERT_FILE": system.environment["CIPHERMARK_TLS_CERTIFICATE"]}
    environment = system.environment | trusted | {"CIPHERMARK_DATA_FOLDER": str(copy)}
    second = subprocess.run(
        [*CIPHERMARK, "daemon", "start"], env=environment, capture_output=True, text=True, timeout=90, check=False
    )
    assert second.returncode == 75, second.stderr
    assert "Another daemon runs as agent" in second.stderr
    # The first one was not disturbed by it.
    run_id = system.submit(a_plan())
    system.wait_for_run(run_id)
    assert_exactly_once(system, run_id, 36)


@pytest.mark.long
def test_cancel_stops_the_runner_and_resume_finishes_the_run(system: System) -> None:
    matrix = [
        {"providers": ["botan"], "algorithms": ["3des-192-cbc"], "inputs": {"kinds": ["video"], "sizes": ["1 MiB"]}}
    ]
    run_id = system.submit(a_plan(name="slow", repetitions=100, matrix=matrix))
    system.wait_for_progress(run_id, 3)
    system.post(f"/runs/{run_id}/cancel")
    until(lambda: not list(system._parts("runner")), "the end of the runner")
    idle = wait_idle(system, run_id)

    system.post(f"/runs/{run_id}/resume")
    assert system.wait_for_run(run_id)["state"] == "finished"
    assert_exactly_once(system, run_id, 100)
    assert started(system, run_id, idle) == 0


@pytest.mark.long
def test_pause_and_resume(system: System) -> None:
    run_id = system.submit(long_plan())
    system.wait_for_progress(run_id, 10)
    system.post(f"/runs/{run_id}/pause")
    idle = wait_idle(system, run_id)
    system.post(f"/runs/{run_id}/resume")
    system.wait_for_run(run_id)
    assert_exactly_once(system, run_id, EXECUTIONS)
    assert started(system, run_id, idle) == 0


@dataclass(frozen=True)
class Idle:
    """A time in which nothing of a run may start."""

    begin: datetime
    end: datetime


def wait_idle(system: System, run_id: str) -> Idle:
    """Wait for the end of the run's job, and from then on for the scheduler and the agent to go on with it in vain."""
    # No launcher alone would not do: a job that was just claimed has not started its own yet.
    until(lambda: not system.rows(RUNNING_JOBS, run_id), "the end of the job")
    until(lambda: not list(system._parts("launcher")), "the end of the launcher")
    begin = datetime.now(UTC)
    system.wait_for_ticks(2)
    system.wait_for_heartbeats(2)
    assert not list(system._parts("launcher"))
    assert system.states(run_id)["waiting"] > 0
    return Idle(begin, datetime.now(UTC))


def started(system: System, run_id: str, idle: Idle) -> int:
    """Return how many executions of the run were started in a time: known once all records have arrived."""
    counted = "SELECT count(*) AS n FROM executions WHERE run_id = ? AND started_at BETWEEN ? AND ?"
    times = (moment.replace(tzinfo=None).isoformat(sep=" ") for moment in (idle.begin, idle.end))
    return int(system.rows(counted, run_id, *times)[0]["n"])
