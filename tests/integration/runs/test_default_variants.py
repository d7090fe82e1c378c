"""Plans without variants measure those that the agent calibrated as the fastest for their lengths."""

from typing import Any

import pytest
from sqlalchemy import select

from orchestrator.database.models import Build, Case
from tests.support.fleet import Fleet

VARIANTS = {"ref": [], "aesni": [16, 64], "vaes": [256, 1024, 4096]}
LISTING: dict[str, Any] = {
    "protocol": 2, "provider": "own", "version": "1", "build": {}, "implementations": [
        {"algorithm": "aes-128-ctr", "variant": name, "kind": "block-mode", "block_bytes": 16, "available": True,
         "default": name == "vaes"} for name in VARIANTS
    ],
}  # fmt: skip


def measured(fleet: Fleet, lengths: list[int], **more: Any) -> set[tuple[str, int]]:
    """Return variant and length of the cases of a plan without variants."""
    messages = {"lengths": lengths, "operations": ["encrypt"]}
    matrix = {"providers": ["own"], "algorithms": ["aes-128-ctr"], "protocol": "latency", "messages": messages}
    run_id = fleet.lay_out(matrix=[matrix | more], repetitions=1)
    with fleet.database.read() as session:
        cases = session.scalars(select(Case).where(Case.run_id == run_id))
        return {(case.variant, case.message_bytes) for case in cases}


def test_the_calibration_of_the_agent_decides_by_length(fleet: Fleet) -> None:
    with fleet.database.write() as session:
        build = session.scalars(select(Build)).one()
        build.runners = {**build.runners, "own": {"listing": LISTING}}
        build_key, build_id = build.build_key, build.id
    passed = {"provider": "own", "algorithm": "aes-128-ctr", "passed": True, "output_sha256": None}
    path = f"/api/v1/builds/{build_key}/proofs"
    proofs = [passed | {"variant": name} for name in VARIANTS]
    fleet.agent.post(path, json={"proofs": proofs}).raise_for_status()
    assert measured(fleet, [16]) == {("vaes", 16)}  # Not calibrated: the choice of the runner.

    untimed = {"proofs": [passed | {"variant": "ref", "fastest_at": [16], "relative_times": {"64": 1.0}}]}
    refused = fleet.agent.post(path, json=untimed)
    assert refused.status_code == 422
    assert "expected one of the timed lengths: 64" in refused.text
    times = {"16": 0.5, "64": 0.7, "256": 1.0, "1024": 1.2, "4096": 1.3}
    proofs = [passed | {"variant": name, "fastest_at": at, "relative_times": times} for name, at in VARIANTS.items()]
    fleet.agent.post(path, json={"proofs": proofs}).raise_for_status()
    assert measured(fleet, [16]) == {("aesni", 16)}
    assert measured(fleet, [2048]) == {("vaes", 2048)}
    both = {(name, length) for name in ("aesni", "vaes") for length in (40, 300)}
    assert measured(fleet, [40, 300]) == both  # A series has the same variants at every length.
    shown = fleet.submitter.get(f"/api/v1/builds/{build_id}/proofs").json()
    assert {one["variant"]: one["fastest_at"] for one in shown if one["provider"] == "own"} == VARIANTS
    assert shown[-1]["relative_times"] == times


def test_the_smallest_variant_is_chosen_by_the_sizes_of_the_build(fleet: Fleet) -> None:
    with fleet.database.write() as session:
        build = session.scalars(select(Build)).one()
        build.runners = {**build.runners, "own": {"listing": LISTING}}
        build_key = build.build_key
    passed = {"provider": "own", "algorithm": "aes-128-ctr", "passed": True, "output_sha256": None}
    proofs = [passed | {"variant": name} for name in VARIANTS]
    fleet.agent.post(f"/api/v1/builds/{build_key}/proofs", json={"proofs": proofs}).raise_for_status()
    absent = dict.fromkeys(("static_ram_bytes", "context_bytes", "stack_bytes"))
    unknown = {
        "provider": "own",
        "algorithm": "aes-128-ctr",
        "variant": "vaes",
        "code_bytes": None,
        "reason": "prebuilt",
    }
    for _reported in (False, True):
        with pytest.raises(AssertionError, match="No code size of own's aes-128-ctr on this build is known"):
            measured(fleet, [16], variants=["smallest"])
        path = f"/api/v1/builds/{build_key}/footprints"
        fleet.agent.post(path, json={"footprints": [unknown | absent]}).raise_for_status()
    sizes = [
        {"provider": "own", "algorithm": "aes-128-ctr", "variant": name, "code_bytes": code, "target": target, **absent}
        for target, code, name in (("", 1192, "ref"), ("", 2000, "aesni"), ("cortex-m3", 900, "aesni"))
    ]
    fleet.agent.post(path, json={"footprints": sizes}).raise_for_status()
    assert measured(fleet, [16], variants=["smallest"]) == {("ref", 16)}
