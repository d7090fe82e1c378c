"""Time of a run whose build exists, alone and while another run on the same agent needs two builds.

Starts `ciphermark up` in a temporary folder, with its real scheduler, daemon and compilers. In each round the ready
plan is executed three times: alone, while another run waits for two builds that have begun, and alone again. During the
builds another agent joins. It reports a build and a heartbeat but executes nothing, because a second daemon would use
the measured machine.

Usage: .venv/bin/python bench/builds_and_runs.py [--rounds 3] [--cache-folder FOLDER] [--cancel-builds]
"""

import argparse
import statistics
import sys
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.wire.base import WIRE_VERSION, WIRE_VERSION_HEADER  # noqa: E402
from tests.support.agent_reports import build, heartbeat, inventory  # noqa: E402
from tests.support.system import System  # noqa: E402
from tests.support.waiting import until  # noqa: E402

SECONDS = 1800.0
LIMIT = 1.1


def ready_plan(number: int) -> dict[str, Any]:
    """Return a plan of about half a minute that needs no build."""
    return {
        "version": 1, "name": f"ready-{number}", "repetitions": 40, "seed": 1,
        "matrix": [{
            "providers": ["own", "cryptopp"], "algorithms": ["aes-128-ctr", "chacha20-256"],
            "inputs": {"kinds": ["text"], "sizes": ["1 MiB"]},
        }],
    }  # fmt: skip


PAIRS = (
    {"compiler": "gcc", "optimization": ["O3", "Os"]},
    {"compiler": "gcc", "optimization": ["O1", "Og"]},
    {"compiler": "gcc", "optimization": "O2", "mtune": ["generic", "native"]},
)
"""Toolchains of each round: two builds that the agent has not made before."""


def building_plan(number: int) -> dict[str, Any]:
    """Return the plan that needs two builds."""
    return ready_plan(number) | {"name": f"building-{number}", "repetitions": 2, "toolchains": [PAIRS[number]]}


def seconds_of(system: System, plan: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Execute a plan; return the seconds from its submission to its end, and the run."""
    run_id = system.submit(plan)
    run = system.wait_for_run(run_id, SECONDS)
    assert run["state"] == "finished", run["reason"]
    return seconds_between(run), run


def join(system: System, name: str) -> httpx.Client:
    """Enroll another agent that reports a build and is live; it executes nothing."""
    token = system.command("token", "create", "--role", "agent", "--quiet").strip()
    base = str(system.client.base_url).removesuffix("/")
    version = {WIRE_VERSION_HEADER: str(WIRE_VERSION)}
    answer = httpx.post(f"{base}/agents", json={"name": name}, headers={"Authorization": f"Bearer {token}"} | version)
    identity = answer.raise_for_status().json()
    headers = {"Authorization": f"Bearer {identity['agent_token']}"} | version
    agent = httpx.Client(base_url=base, headers=headers, timeout=30)
    agent.post("/inventories", json=inventory()).raise_for_status()
    agent.post("/builds", json=build()).raise_for_status()
    agent.post("/heartbeats", json=heartbeat()).raise_for_status()
    return agent


def one_round(system: System, number: int, *, cancel_builds: bool) -> tuple[float, float]:
    """Return the seconds of the ready run alone (mean of before and after), and while two builds are pending."""
    before, _ = seconds_of(system, ready_plan(number))
    building = system.submit(building_plan(number))
    until(lambda: is_compiling(system), "the first compiler", 120)
    ready = system.submit(ready_plan(number))
    with closing(join(system, f"joined-{number}")):
        run = system.wait_for_run(ready, SECONDS)
        other = system.get(f"/runs/{building}")
        names = [sorted(agent["name"] for agent in one["agents"]) for one in (run, other)]
        print(f"  when the ready run ended, the other one was {other['state']}: {other['activity']}", flush=True)
        assert (run["state"], other["state"]) == ("finished", "planned")
        print(f"  alone before {before:.1f} s, with builds pending {seconds_between(run):.1f} s", flush=True)
        if cancel_builds:
            system.post(f"/runs/{building}/cancel")
        else:
            end = system.wait_for_run(building, SECONDS)
            assert end["state"] == "finished", end["reason"]
            names.append(sorted(agent["name"] for agent in end["agents"]))
    print(f"  agents of the ready run, of the other one, and of that after its layout: {names}", flush=True)
    after, _ = seconds_of(system, ready_plan(number))
    print(f"  alone after {after:.1f} s", flush=True)
    return (before + after) / 2, seconds_between(run)


def seconds_between(run: dict[str, Any]) -> float:
    """Return the seconds from the submission of a run to its end."""
    times = [datetime.fromisoformat(run[name]) for name in ("submitted_at", "finished_at")]
    return (times[1] - times[0]).total_seconds()


def is_compiling(system: System) -> bool:
    """Return whether a process of the daemon compiles."""
    return any(process.name() in ("cc1plus", "ninja") for process in system.family() if process.is_running())


def main() -> int:
    """Print the times of each round; 1 if the median ratio is above 1.1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, choices=(1, 2, 3))
    parser.add_argument("--cache-folder", type=Path, help="Cache with a default build [a temporary folder].")
    parser.add_argument("--cancel-builds", action="store_true", help="Cancel the other run when the ready one ends.")
    options = parser.parse_args()
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        data, cache = Path(folder) / "data", options.cache_folder or Path(folder) / "cache"
        data.mkdir()
        with System(data, cache) as system:
            for number in range(options.rounds):
                print(f"round {number + 1}", flush=True)
                alone, pending = one_round(system, number, cancel_builds=options.cancel_builds)
                ratios.append(pending / alone)
                print(f"  alone {alone:.1f} s, with builds pending {pending:.1f} s, ratio {ratios[-1]:.3f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f} of {[round(one, 3) for one in ratios]}; the limit is {LIMIT}")
    return int(statistics.median(ratios) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
