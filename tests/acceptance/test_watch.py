"""A watch with a real daemon: `ci` begins its baseline, a runner becomes slower, and the watch reports what changed."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
SLOWER_SECONDS = 0.1
"""Far above the noise of a loaded machine, where a pass takes milliseconds."""


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
    """Replace Botan's runner by a program that waits before it becomes the runner."""
    original = runners / "ciphermark-botan"
    hidden = runners / "original"
    hidden.mkdir()
    original.rename(hidden / original.name)
    original.write_text(f'#!/bin/sh\nsleep {SLOWER_SECONDS}\nexec {hidden / original.name} "$@"\n')
    original.chmod(0o700)


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
        # The first run of a baseline; below 5 former runs nothing is decided.
        system.command("ci", str(plan_file), "--baseline", "main", "--tag", "main", "--allow-undecided")
        for run_id in [system.submit(PLAN) for _ in range(BASELINE_RUNS - 1)]:
            assert system.wait_for_run(run_id)["state"] == "finished"
            system.command("runs", "edit", run_id, "--tag", "main")
        system.command("watch", "add", str(plan_file), "--name", "builds", "--on", "build", "--baseline-tag", "main",
                       "--measure", "pass", "--webhook", receiver.url, "--file")  # fmt: skip
        until(lambda: last_look(system)["state"] == "decided", "the first look")

    slow_down(runners)
    with system:
        until(lambda: last_look(system)["number"] == 2 and last_look(system)["state"] == "decided", "the second look")
        changes = system.get("/watches/builds")["latest_changes"]
        assert ("botan", True) in {(change["case"]["provider"], change["worse"]) for change in changes}
        until(lambda: receiver.requests, "the webhook")
        document = json.loads(receiver.requests[0].body)
        hashes = [one["subject"] for one in document["differences"]["changed"] if one["topic"] == "hashes"]
        assert "build, runner botan" in hashes
        assert "build, runner own" not in hashes
        report = tmp_path / "data" / "watch-reports" / "builds.jsonl"
        until(report.exists, "the report in the file")
        assert json.loads(report.read_text())["look"] == 2
