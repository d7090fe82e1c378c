"""Reports of a daemon, as JSON."""

import hashlib
from datetime import UTC, datetime
from typing import Any

import httpx

from tests.support.live_service import Served

SESSION = "a" * 32


def enroll(served: Served, name: str = "pi") -> tuple[httpx.Client, dict[str, Any]]:
    """Enroll an agent; return a client with its token, and its identity."""
    with served.client("join") as joining:
        answer = joining.post("/api/v1/agents", json={"name": name})
    assert answer.status_code == 201, answer.text
    identity = answer.json()
    return served.client_with(identity["agent_token"]), identity


def enroll_checked(served: Served) -> str:
    """Enroll an agent that reports an inventory, a build and three health checks, the last one poor; return its id."""
    agent, identity = enroll(served, "checked")
    agent.post("/api/v1/inventories", json=inventory())
    agent.post("/api/v1/builds", json=build())
    for control_wall_ns in (5e6, 5.2e6, 9e6):
        agent.post("/api/v1/health-checks", json=health_check(control_wall_ns=control_wall_ns))
    agent.post("/api/v1/heartbeats", json=heartbeat())
    return str(identity["agent_id"])


def heartbeat(**changes: Any) -> dict[str, Any]:
    """Return a heartbeat of an idle daemon."""
    return {"session_id": SESSION, "state": "ready", "activity": "waits for jobs", "jobs": [], **changes}


def inventory(**changes: Any) -> dict[str, Any]:
    """Return an inventory report."""
    facts = {
        "host_name": "pi", "device_model": "Raspberry Pi 4 Model B Rev 1.4", "memory_bytes": 2**32, "swap_bytes": 0,
        "processor": {"model": "Cortex-A72", "architecture": "aarch64", "cores": 4, "online_cores": [0, 1, 2, 3],
                      "isa_extensions": ["asimd"]},
        "operating_system": "Debian 12", "kernel": "6.6", "python": "3.11.2", "libc": "glibc 2.36", "compilers": [],
        "libraries": {}, "sensors": {}, "hardware_counters": False, "virtual_machine": None, "emulated": False,
        "measured_core": 3, "daemon_version": "0.1.0", "absent": {"governor": "no cpufreq"}, **changes,
    }  # fmt: skip
    return {"sha256": hashlib.sha256(repr(sorted(facts.items())).encode()).hexdigest(), "inventory": facts}


def build(build_key: str = "b" * 64, **toolchain: Any) -> dict[str, Any]:
    """Return a build report of one runner."""
    listing = {"protocol": 2, "provider": "own", "version": "0.1.0", "build": {"link": "static"}, "implementations": [
        {"algorithm": "aes-128-ctr", "variant": "ref", "kind": "block-mode", "available": True, "default": True},
    ]}  # fmt: skip
    return {
        "build_key": build_key, "source_sha256": "1" * 64, "toolchain": toolchain, "compiler_version": "gcc 12.2.0",
        "build_wall_ns": 40_000_000_000, "missing_providers": {"botan": "libbotan is not installed"},
        "runners": [{"provider": "own", "sha256": "2" * 64, "size_bytes": 90_000, "listing": listing}],
    }  # fmt: skip


def health_check(**changes: Any) -> dict[str, Any]:
    """Return a clean health check of the build; control_wall_ns alone sets a median with a narrow interval."""
    median_ns = changes.pop("control_wall_ns", 5e6)
    control = {
        "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref", "input_bytes": 2**20, "executions": 40,
        "median_work_wall_ns": median_ns, "low_work_wall_ns": 0.99 * median_ns, "high_work_wall_ns": 1.01 * median_ns,
    }  # fmt: skip
    return {
        "build_key": "b" * 64, "checked_at": datetime.now(UTC).isoformat(), "control": control, "noise_floor": 0.01,
        "disturbed_share": 0.0, "throttled": [], "temperature_celsius": 51.5, "absent": {}, **changes,
    }  # fmt: skip


def proof(algorithm: str = "aes-128-ctr", passed: bool = True) -> dict[str, Any]:
    """Return one proof."""
    return {"provider": "own", "algorithm": algorithm, "variant": "ref", "passed": passed, "output_sha256": "3" * 64}
