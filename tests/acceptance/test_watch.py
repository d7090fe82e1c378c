"""Watch and `ci` with a real daemon: `ci` begins the baseline, a runner becomes slower, and both report it."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.statistics.comparisons.between_runs import MIN_FORMER
from tests.support.paths import REPOSITORY
from tests.support.receivers import HTTPReceiver
from tests.support.system import System
from tests.support.waiting import until

PLAN = {
    "version": 1,
    "name": "watched",
    "repetitions": 4,
    "matrix": [
        {"providers": ["own", "botan"], "algorithms": ["aes-128-ctr"],
         "inputs": {"kinds": ["text"], "sizes": ["128 KiB"]}}
    ],
}  # fmt: skip
BASELINE_RUNS = MIN_FORMER
SLOWER_SECONDS = 1.0
"""Far above the noise at load 14, where a pass of milliseconds may take ten times as long."""
LOOK_SECONDS = 300
"""A look proves a build and measures the slow runner, 1 s and more for each execution: 40 s on a quiet machine."""


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(PLAN))
    return file


@pytest.fixture
def runners(tmp_path: Path) -> Path:
    """Return a folder of prebuilt runners of which a test may replace one."""
    source = Path(os.environ.get("CIPHERMARK_RUNNERS_FOLDER") or REPOSITORY / "build" / "runners")
    folder = tmp_path / "runners"
    folder.mkdir()
    for program in ("ciphermark-own", "ciphermark-botan", "ciphermark-launcher"):
        shutil.copy2(source / program, folder / program)
    return folder


@pytest.fixture
def receiver() -> Iterator[HTTPReceiver]:
    with HTTPReceiver.open() as opened:
        yield opened


def slow_down(runners: Path) -> None:
    """Replace Botan's runner by a program that waits before it becomes the runner, except for its known answers."""
    original = runners / "ciphermark-botan"
    hidden = runners / "original"
    hidden.mkdir()
    original.rename(hidden / original.name)
    wait = f'[ "$1" != process ] || sleep {SLOWER_SECONDS}'
    original.write_text(f'#!/bin/sh\n{wait}\nexec {hidden / original.name} "$@"\n')
    original.chmod(0o700)


def begin_baseline(system: System, plan_file: Path) -> None:
    """Measure former runs with the tag main; below 5 of them nothing is decided."""
    system.command("ci", str(plan_file), "--baseline", "main", "--tag", "main", "--allow-undecided")
    for run_id in [system.submit(PLAN) for _ in range(BASELINE_RUNS - 1)]:
        assert system.wait_for_run(run_id)["state"] == "finished"
        system.command("runs", "edit", run_id, "--tag", "main")


def proved_builds(system: System) -> int:
    """Return the number of builds whose known answers were reported."""
    return int(system.rows("SELECT count(DISTINCT build_id) AS number FROM proofs")[0]["number"])


def last_look(system: System) -> dict[str, Any]:
    looks = system.get("/watches/builds")["latest_looks"]
    return dict(looks[0]) if looks else {"number": 0, "state": ""}


@pytest.mark.long
def test_slower_runner_is_reported_by_a_watch_with_what_changed(
    tmp_path: Path, cache_folder: Path, runners: Path, plan_file: Path, receiver: HTTPReceiver
) -> None:
    """Regression: the look after a build began before its known answers, failed, and was not repeated."""
    settings = {"runners_folder": str(runners), "webhook_hosts": "127.0.0.1"}
    system = System(tmp_path / "data", cache_folder, **settings)
    with system:
        begin_baseline(system, plan_file)
        system.command("watch", "add", str(plan_file), "--name", "builds", "--on", "build", "--baseline-tag", "main",
                       "--measure", "pass", "--webhook", receiver.url, "--file")  # fmt: skip
        until(lambda: last_look(system)["state"] == "decided", "the first look", LOOK_SECONDS)

    slow_down(runners)
    with system:
        until(
            lambda: last_look(system)["number"] == 2 and last_look(system)["state"] == "decided",
            "the second look",
            LOOK_SECONDS,
        )
        changes = system.get("/watches/builds")["latest_changes"]
        assert ("botan", True) in {(change["case"]["provider"], change["worse"]) for change in changes}
        until(lambda: receiver.requests, "the webhook")
        document = json.loads(receiver.requests[0].body)
        hashes = [one["subject"] for one in document["differences"]["changed"] if one["topic"] == "hashes"]
        assert "build, runner botan" in hashes
        assert "build, runner own" not in hashes
        report = tmp_path / "data" / "watch-reports" / "builds.jsonl"
        until(lambda: report.exists() and report.read_text().endswith("\n"), "the report in the file")
        assert json.loads(report.read_text())["look"] == 2


@pytest.mark.long
def test_slower_runner_is_a_regression_for_ci_and_an_equal_one_is_none(
    tmp_path: Path, cache_folder: Path, runners: Path, plan_file: Path
) -> None:
    xml, summary = tmp_path / "ci.xml", tmp_path / "ci.md"
    ci = (
        "ci",
        str(plan_file),
        "--baseline",
        "main",
        "--measure",
        "pass",
        "--min-detectable",  # of a busy machine, too
        "100000%",
        "--junit",
        str(xml),
        "--summary",
        str(summary),
    )
    system = System(tmp_path / "data", cache_folder, runners_folder=str(runners))
    with system:
        begin_baseline(system, plan_file)
        equal = system.execute(*ci)
        assert equal.returncode == ExitCode.OK, equal.stdout + equal.stderr
        suite = ElementTree.parse(xml).getroot()
        assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "0", "0")
        assert "| worse |" not in summary.read_text()
        former = proved_builds(system)

    slow_down(runners)
    with system:
        until(lambda: proved_builds(system) > former, "the known answers of the slower build", LOOK_SECONDS)
        slower = system.execute(*ci)
        assert slower.returncode == ExitCode.REGRESSION, slower.stdout + slower.stderr
        suite = ElementTree.parse(xml).getroot()
        failed = {test.get("name", ""): test.find("failure") for test in suite if test.find("failure") is not None}
        (case,) = (name for name in failed if name.startswith("botan aes-128-ctr"))
        message = str(failed[case].get("message"))  # type: ignore[union-attr]
        # 128 KiB in a millisecond became 128 KiB in 100 ms; its whole interval is far from noise.
        least = re.fullmatch(r"-[\d.]+ % \(-[\d.]+ % to -([\d.]+) %\)", message)
        assert least is not None, message
        assert float(least[1]) > 30
        (row,) = (line for line in summary.read_text().splitlines() if line.startswith(f"| {case} | worse | "))
        assert f"| {message} |" in row
        assert f"{BASELINE_RUNS} former" in row
