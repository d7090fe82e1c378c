"""A folder of prebuilt runners: wrong is never fast, and a runner of another operation needs nothing but itself."""

import shutil
from collections.abc import Iterator

import pytest

from tests.support.paths import REPOSITORY
from tests.support.runner_programs import build_planted
from tests.support.system import System, a_plan
from tests.support.waiting import until

pytestmark = pytest.mark.long

FAULTS = {"botan": "identity", "cryptopp": "wrong-byte"}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """Start a system whose Botan does nothing, whose Crypto++ reports one wrong byte, and that can compute SHA-256."""
    folder = tmp_path_factory.mktemp("planted")
    runners = folder / "runners"
    runners.mkdir()
    for program in ("ciphermark-own", "ciphermark-launcher"):
        shutil.copy2(REPOSITORY / "build" / "runners" / program, runners / program)
    shutil.copy2(REPOSITORY / "runners" / "examples" / "ciphermark-hashlib", runners)
    for provider, fault in FAULTS.items():
        shutil.copy2(build_planted(provider, fault), runners / f"ciphermark-{provider}")
    # A cache of its own, so that these builds cannot affect other tests.
    with System(folder / "data", folder / "cache", runners_folder=str(runners)) as system:
        yield system


@pytest.fixture(scope="module")
def run_id(faulty: System) -> str:
    """Return a finished run."""
    run_id = faulty.submit(a_plan())
    faulty.wait_for_run(run_id)
    return run_id


def test_cipher_that_does_nothing_is_never_timed(faulty: System, run_id: str) -> None:
    preview = faulty.post("/plans/preview", {"plan": a_plan()})
    reasons = [omission["reason"] for omission in preview["omissions"] if omission["provider"] == "botan"]
    assert reasons
    assert all("known-answer tests failed" in reason for reason in reasons)
    assert states_by_provider(faulty, run_id).keys() == {"own", "cryptopp"}


def test_wrong_byte_makes_executions_wrong_and_excludes_them(faulty: System, run_id: str) -> None:
    # The scheduler judges digests once there is something to compare; what was ok until then is marked again.
    verdict = {"own": "ok", "cryptopp": "wrong"}
    until(lambda: states_by_provider(faulty, run_id) == verdict, f"the verdict {verdict}")
    points = faulty.get(f"/runs/{run_id}/throughput")["points"]
    assert {point["provider"] for point in points} == {"own"}
    executions = faulty.get(f"/runs/{run_id}/executions", limit=100)["items"]
    assert {one["state"] for one in executions if one["provider"] == "cryptopp"} == {"wrong"}


def test_declared_operation_is_measured_ranked_shown_and_exported(faulty: System) -> None:
    messages = {"lengths": [16, 1024], "operations": ["digest", "encrypt"], "timings": 2, "min_timing_ms": 1}
    matrix = {"protocol": "latency", "providers": ["hashlib"], "algorithms": ["sha-256"], "messages": messages}
    plan = a_plan(matrix=[matrix])

    preview = faulty.post("/plans/preview", {"plan": plan})
    run_id = faulty.submit(plan)
    faulty.wait_for_run(run_id)

    assert preview["phases"] == {"digest": True}
    assert [one["reason"] for one in preview["omissions"]] == ["It has no operation encrypt; it has digest."]
    assert states_by_provider(faulty, run_id) == {"hashlib": "ok"}
    (agent,) = faulty.get(f"/runs/{run_id}/answer", operation="digest", length_bytes=1024)["agents"]
    assert [(row["algorithm"], row["rank"], row["vouched_by"]) for row in agent["rows"]] == [
        ("sha-256", 1, "one agent")
    ]
    (first, *_) = faulty.get(f"/runs/{run_id}/executions", limit=100)["items"]
    execution = faulty.get(f"/executions/{first['id']}")
    assert execution["output_sha256"]
    reasons = {one["name"]: one["reason"] for one in execution["readings"]}
    assert reasons["cold_key_setup_wall_ns"] == "the timed operation takes no key"
    assert ",digest,hashlib,sha-256," in faulty.command("runs", "export", run_id, "--format", "csv")
    page = faulty.client.get(f"{faulty.client.base_url.join('/')}runs/{run_id}", params={"call": "digest"})
    assert page.is_success
    assert "sha-256" in page.text


def test_process_of_a_declared_operation_has_its_phase(faulty: System) -> None:
    matrix = {
        "protocol": "process", "providers": ["hashlib", "own"], "algorithms": ["sha-256", "chacha20-256"],
        "inputs": {"kinds": ["random"], "sizes": ["4 KiB"]},
    }  # fmt: skip
    run_id = faulty.submit(a_plan(matrix=[matrix], repetitions=6))
    faulty.wait_for_run(run_id)

    assert states_by_provider(faulty, run_id) == {"hashlib": "ok", "own": "ok"}
    answer = faulty.get(f"/runs/{run_id}/answer", measure="digest")
    assert [row["algorithm"] for agent in answer["agents"] for row in agent["rows"]] == ["sha-256"]
    assert [name for name in answer["measures"] if name in ("encrypt", "digest", "pass")] == [
        "encrypt",
        "digest",
        "pass",
    ]
    assert [one["algorithm"] for one in faulty.get(f"/runs/{run_id}/throughput", measure="digest")["points"]] == [
        "sha-256"
    ]
    cases = {one["algorithm"]: one for one in faulty.get(f"/runs/{run_id}/cases")["items"]}
    assert cases["sha-256"]["operation"] == "digest"
    assert list(cases["sha-256"]["summary"]["phases"]) == ["digest"]
    assert list(cases["chacha20-256"]["summary"]["phases"]) == ["key_setup", "encrypt", "decrypt"]
    executions = faulty.get(f"/runs/{run_id}/executions", case_id=cases["sha-256"]["id"], limit=1)["items"]
    assert [one["phase"] for one in executions[0]["phases"]] == ["digest"]
    names, *_ = faulty.command("runs", "export", run_id, "--format", "csv").splitlines()
    assert {"digest_wall_ns", "digest_user_ns", "encrypt_wall_ns"} <= set(names.split(","))
    pages = f"runs/{run_id}?measure=digest", f"cases/{cases['sha-256']['id']}", f"executions/{executions[0]['id']}"
    for address in pages:
        page = faulty.client.get(faulty.client.base_url.join("/").join(address))
        assert page.is_success, address
        assert "Digest" in page.text or "digest" in page.text
    refused = faulty.client.get(f"runs/{run_id}/answer", params={"measure": "sign"})
    assert (refused.status_code, "digest" in refused.json()["remedy"]) == (422, True)


def states_by_provider(system: System, run_id: str) -> dict[str, str]:
    """Return the states of each provider's executions, joined by commas."""
    rows = system.rows(
        "SELECT c.provider, group_concat(DISTINCT e.state) AS states FROM executions e"
        " JOIN cases c ON c.id = e.case_id WHERE e.run_id = ? GROUP BY c.provider",
        run_id,
    )
    return {row["provider"]: row["states"] for row in rows}
