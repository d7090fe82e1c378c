"""Wrong is never fast: runners with planted faults that pass their own round trip."""

import shutil
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY
from tests.support.runner_programs import build_planted
from tests.support.system import System, a_plan
from tests.support.waiting import until

PROGRAMS = ("ciphermark-own", "ciphermark-cryptopp", "ciphermark-botan", "ciphermark-launcher")


def planted_runners(folder: Path, fault: str) -> Path:
    """Return a folder of runners in which Botan's has that fault."""
    folder.mkdir()
    for program in PROGRAMS:
        shutil.copy2(REPOSITORY / "build" / "runners" / program, folder / program)
    shutil.copy2(build_planted("botan", fault), folder / "ciphermark-botan")
    return folder


def states_by_provider(system: System, run_id: str) -> dict[str, str]:
    """Return the states of each provider's executions, joined by commas."""
    rows = system.rows(
        "SELECT c.provider, group_concat(DISTINCT e.state) AS states FROM executions e"
        " JOIN cases c ON c.id = e.case_id WHERE e.run_id = ? GROUP BY c.provider",
        run_id,
    )
    return {row["provider"]: row["states"] for row in rows}


def test_wrong_byte_makes_executions_wrong_and_excludes_them(tmp_path: Path, cache_folder: Path) -> None:
    runners = planted_runners(tmp_path / "runners", "wrong-byte")
    with System(tmp_path / "data", cache_folder, runners_folder=str(runners)) as system:
        run_id = system.submit(a_plan())
        system.wait_for_run(run_id)
        # The scheduler judges digests once there is something to compare; what was ok until then is marked again.
        verdict = {"own": "ok", "cryptopp": "ok", "botan": "wrong"}
        until(lambda: states_by_provider(system, run_id) == verdict, f"the verdict {verdict}")
        points = system.get(f"/runs/{run_id}/throughput")["points"]
        assert {point["provider"] for point in points} == {"own", "cryptopp"}
        assert system.get(f"/runs/{run_id}/executions", limit=1)["items"][0]["state"] == "wrong"


def test_identity_cipher_is_never_timed(tmp_path: Path, cache_folder: Path) -> None:
    runners = planted_runners(tmp_path / "runners", "identity")
    with System(tmp_path / "data", cache_folder, runners_folder=str(runners)) as system:
        preview = system.post("/plans/preview", {"plan": a_plan()})
        reasons = [omission["reason"] for omission in preview["omissions"] if omission["provider"] == "botan"]
        assert reasons
        assert all("known-answer tests failed" in reason for reason in reasons)
        run_id = system.submit(a_plan())
        system.wait_for_run(run_id)
        timed = system.rows(
            "SELECT DISTINCT c.provider FROM executions e JOIN cases c ON c.id = e.case_id"
            " WHERE e.run_id = ? AND e.work_wall_ns IS NOT NULL",
            run_id,
        )
        assert {row["provider"] for row in timed} == {"own", "cryptopp"}


@pytest.fixture
def cache_folder(tmp_path: Path) -> Path:
    """Return a separate cache for each planted build, so that it cannot affect other tests."""
    return tmp_path / "cache"
