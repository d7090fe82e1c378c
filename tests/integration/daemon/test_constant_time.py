"""Constant time of a build: a real runner under a real valgrind, reported to a real service."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from orchestrator.compilation.constant_time.checks import CHECKS_FILE, check_next, find_checks, load_checks
from orchestrator.compilation.installed import InstalledBuild, Program
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.proofs import load_proofs
from orchestrator.compilation.proved import ProvedBuild
from orchestrator.daemon.builds.builder import DefaultBuild
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.wire.builds import RunnerBinary
from tests.support.agent_reports import enroll
from tests.support.daemon_bench import make_builder
from tests.support.live_service import Served
from tests.support.waiting import GENEROUS_SECONDS, until

QUIET = BuildObserver(lambda _: None)
MISSING = "valgrind is not installed; install the package valgrind"
TABLES, BITSLICED = ("aes-128-ctr", "ref"), ("aes-128-ctr", "bitsliced64")

needs_valgrind = pytest.mark.skipif(
    shutil.which("valgrind") is None or not Path("/usr/include/valgrind/memcheck.h").exists(),
    reason="valgrind and its headers are not installed",
)


@pytest.fixture
def small(build: InstalledBuild, tmp_path: Path) -> InstalledBuild:
    """The own runner, whose listing has an AES with tables and a bitsliced one alone."""
    own = next(runner for runner in build.report.runners if runner.provider == "own")
    rows = [row for row in own.listing.implementations if (row.algorithm, row.variant) in (TABLES, BITSLICED)]
    assert len(rows) == 2
    return limited(build, own.model_copy(update={"listing": own.listing.model_copy(update={"implementations": rows})}),
                   tmp_path)  # fmt: skip


def enrolled(served: Served, build: InstalledBuild, name: str) -> ServiceClient:
    """Return the client of a new agent that has reported this build."""
    _, identity = enroll(served, name)
    client = ServiceClient(ServiceAddress(served.url, identity["agent_token"], 60))
    client.report_build(build.report.model_copy(update={"is_default": True}))
    return client


def limited(build: InstalledBuild, runner: RunnerBinary, folder: Path) -> InstalledBuild:
    (folder / "cache" / "builds" / build.build_key).mkdir(parents=True)
    return replace(
        build,
        report=build.report.model_copy(update={"runners": [runner]}),
        folder=folder / "cache" / "builds" / build.build_key,
    )


@needs_valgrind
def test_agent_examines_its_default_build_in_spare_time_and_the_service_shows_it(
    served: Served, small: InstalledBuild, tmp_path: Path
) -> None:
    client = enrolled(served, small, "pi")
    start = DefaultBuild(ProvedBuild(small, load_proofs(small)), None)
    builder = make_builder(tmp_path, client, Status(), start)

    while builder.check_next():
        pass

    (agent,) = [one for one in served.viewer.get("/api/v1/agents").json()["items"] if one["name"] == "pi"]
    (made,) = served.viewer.get("/api/v1/builds", params={"agent_id": agent["id"]}).json()["items"]
    rows = served.viewer.get(f"/api/v1/builds/{made['id']}/constant-time").json()
    found = {row["variant"]: row for row in rows}
    assert found["bitsliced64"]["label"] == "yes, checked"
    assert found["bitsliced64"]["max_message_bytes"] > 4096
    assert found["ref"]["errors"] > 0
    assert found["ref"]["label"].startswith("no, found ")
    assert all(row["timed_calls"] == 20_000 for row in rows)
    client.close()


@pytest.mark.long
def test_check_is_stopped_while_a_job_uses_the_machine(served: Served, small: InstalledBuild, tmp_path: Path) -> None:
    go, begun = tmp_path / "go", tmp_path / "begun"
    script = tmp_path / "ciphermark-own"
    script.write_text(
        f"#!/bin/bash\necho $$ >{begun}.incoming && mv {begun}.incoming {begun}\nuntil [ -e {go} ]; do :; done\n"
    )
    script.chmod(0o700)
    slow = replace(small, runners={"own": Program("ciphermark-own", (str(script),), (script,))})
    client = enrolled(served, slow, "lock")
    status = Status()
    builder = make_builder(tmp_path, client, status, DefaultBuild(ProvedBuild(slow, load_proofs(slow)), None))
    checking = threading.Thread(target=builder.check_next)
    checking.start()
    until(begun.exists, "the program")
    program = psutil.Process(int(begun.read_text()))
    # The demo and scripts wait for an agent that is ready.
    assert status.snapshot().state == "ready"
    with builder.machine_lock.held():
        assert program.status() == psutil.STATUS_STOPPED
        go.touch()
        assert program.status() == psutil.STATUS_STOPPED
    checking.join(GENEROUS_SECONDS)
    assert not checking.is_alive()
    # The program reported nothing, which is unknown and no failure.
    assert {row.errors for row in load_checks(slow)} == {None}
    client.close()


@needs_valgrind
def test_results_are_kept_for_the_same_program_and_valgrind(small: InstalledBuild) -> None:
    first = find_checks(small, QUIET)
    written = (small.folder / CHECKS_FILE).stat().st_mtime_ns
    assert find_checks(small, QUIET) == first
    assert (small.folder / CHECKS_FILE).stat().st_mtime_ns == written
    # Of another program, nothing that was found applies.
    (runner,) = small.report.runners
    changed = small.report.model_copy(update={"runners": [runner.model_copy(update={"sha256": "0" * 64})]})
    assert load_checks(replace(small, report=changed)) == []


def test_without_valgrind_the_check_is_unknown_with_the_reason_and_times_are_compared(small: InstalledBuild) -> None:
    while check_next(small, MISSING, QUIET):
        pass
    rows = load_checks(small)
    assert {row.reason for row in rows} == {MISSING}
    assert [(row.errors, row.timed_calls) for row in rows] == [(None, 20_000)] * 2


def test_programs_of_languages_are_not_checked(small: InstalledBuild) -> None:
    (runner,) = small.report.runners
    started = small.report.model_copy(update={"runners": [runner.model_copy(update={"start": ["python3"]})]})
    rows = find_checks(replace(small, report=started), QUIET)
    assert {row.reason for row in rows} == {"only native runners are checked"}
    assert {row.timing_reason for row in rows} == {"only native runners are checked"}
