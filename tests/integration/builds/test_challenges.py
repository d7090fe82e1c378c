"""Challenges: random messages that an agent's implementations must encrypt as the service does."""

import hashlib
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, update

from orchestrator.builds import challenges
from orchestrator.compilation.installed import InstalledBuild, Program
from orchestrator.compilation.reference.proven_cryptography import is_proven
from orchestrator.daemon.builds.challenges import answer_all
from orchestrator.database.models import Agent, BuildChallenge, Proof, now
from orchestrator.wire.builds import BuildReport, ProofsReceived
from tests.support.agent_reports import build, enroll, proof
from tests.support.live_service import Served
from tests.support.paths import REPOSITORY

KEY = "b" * 64
PROVEN = ["aes-128-ctr", "aes-128-ecb", "aes-192-cbc", "chacha20-256", "3des-192-cbc"]


@pytest.fixture
def agent(fresh: Served) -> httpx.Client:
    client, _ = enroll(fresh)
    client.post("/api/v1/builds", json=build()).raise_for_status()
    return client


def report(agent: httpx.Client, *algorithms: str, **changes: Any) -> ProofsReceived:
    proofs = [proof(algorithm) | changes for algorithm in algorithms]
    answer = agent.post(f"/api/v1/builds/{KEY}/proofs", json={"proofs": proofs}).raise_for_status()
    return ProofsReceived.model_validate_json(answer.content)


def answer(agent: httpx.Client, *answers: dict[str, Any]) -> dict[str, int]:
    response = agent.post(f"/api/v1/builds/{KEY}/challenge-answers", json={"answers": list(answers)})
    return dict(response.raise_for_status().json())


def passed(served: Served) -> dict[str, bool]:
    with served.database.read() as session:
        return {one.algorithm: one.passed for one in session.scalars(select(Proof))}


def installed(folder: Path) -> InstalledBuild:
    """Return the runners of this checkout as a build of the daemon."""
    path = REPOSITORY / "build" / "runners" / "ciphermark-own"
    runners = {"own": Program(path.name, (str(path),), (path,))}
    return InstalledBuild(KEY, BuildReport.model_validate(build()), runners, folder)


def test_daemon_answers_challenges_of_every_kind_of_mode(fresh: Served, agent: httpx.Client, tmp_path: Path) -> None:
    sent = report(agent, *PROVEN).challenges
    assert {one.algorithm for one in sent} == set(PROVEN)
    assert all(is_proven(one.algorithm) and 0 < one.message_bytes <= challenges.MAX_MESSAGE_BYTES + 48 for one in sent)
    # Repeated proofs, for example after a lost response, have the same challenges.
    assert report(agent, *PROVEN).challenges == sent
    answers = [one.model_dump() for one in answer_all(installed(tmp_path), sent)]
    # 3DES has no variant "ref": the error of the runner fails the proof without an accusation.
    assert answer(agent, *answers) == {"passed": 4, "failed": 1}
    assert passed(fresh) == dict.fromkeys(PROVEN, True) | {"3des-192-cbc": False}
    assert answer(agent, *answers) == {"passed": 0, "failed": 0}
    with fresh.database.read() as session:
        assert session.scalars(select(Agent.distrusted_at)).one() is None


def test_wrong_answer_fails_the_proof_and_quarantines(fresh: Served, agent: httpx.Client) -> None:
    (one,) = report(agent, "aes-128-ctr").challenges
    false = hashlib.sha256(b"from a file").hexdigest()
    assert answer(agent, {"challenge_id": one.id, "output_sha256": false}) == {"passed": 0, "failed": 1}
    assert passed(fresh) == {"aes-128-ctr": False}
    with fresh.database.read() as session:
        reason = session.scalars(select(Agent.health_reason)).one()
    assert "a wrong answer to a challenge" in reason
    assert false in reason


def test_missing_answer_fails_the_proof_until_it_arrives(fresh: Served, agent: httpx.Client, tmp_path: Path) -> None:
    sent = report(agent, "aes-128-ctr").challenges
    assert challenges.expire(fresh.database, now()) == 0
    with fresh.database.write() as session:
        session.execute(update(BuildChallenge).values(created_at=now() - 2 * challenges.ANSWER_TIME))
    assert [challenges.expire(fresh.database, now()) for _ in range(2)] == [1, 0]
    assert passed(fresh) == {"aes-128-ctr": False}
    answers = [one.model_dump() for one in answer_all(installed(tmp_path), sent)]
    assert answer(agent, *answers) == {"passed": 1, "failed": 0}
    assert passed(fresh) == {"aes-128-ctr": True}


def test_failed_unknown_and_prebuilt_implementations_are_not_challenged(fresh: Served, agent: httpx.Client) -> None:
    assert report(agent, "aes-128-ctr", passed=False).challenges == []
    assert report(agent, "rot13").challenges == []
    agent.post("/api/v1/builds", json=build() | {"prebuilt": True}).raise_for_status()
    assert report(agent, "aes-128-ctr").challenges == []


def test_answer_to_a_challenge_of_another_agent_is_ignored(fresh: Served, agent: httpx.Client) -> None:
    (one,) = report(agent, "aes-128-ctr").challenges
    stranger, _ = enroll(fresh, "stranger")
    stranger.post("/api/v1/builds", json=build()).raise_for_status()
    assert answer(stranger, {"challenge_id": one.id, "output_sha256": "e" * 64}) == {"passed": 0, "failed": 0}
    assert passed(fresh) == {"aes-128-ctr": True}


def test_masked_implementation_is_challenged_in_a_random_form_that_its_agent_has(
    fresh: Served, agent: httpx.Client
) -> None:
    reported = build()
    listing = reported["runners"][0]["listing"]
    row = listing["implementations"][0]
    listing["implementations"].append(
        row | {"variant": "masked64", "default": False, "masking": {"shares": [2, 5], "degrees": ["full"]}}
    )
    generators = {"free": True, "chacha20": True, "aes-ctr": False}
    listing["generators"] = [
        {"name": name, "secure": True, "available": available} for name, available in generators.items()
    ]
    agent.post("/api/v1/builds", json=reported).raise_for_status()
    seen = set()
    for _ in range(40):
        with fresh.database.write() as session:
            session.execute(delete(BuildChallenge))
        (one,) = report(agent, "aes-128-ctr", variant="masked64").challenges
        assert 0 < one.message_bytes <= challenges.MAX_MASKED_MESSAGE_BYTES
        seen.add((one.shares, one.masking, one.generator))
    assert seen == {(shares, "full", generator) for shares in (2, 5) for generator in ("free", "chacha20")}
    (one,) = report(agent, "aes-128-ctr", variant="ref").challenges
    assert one.variant == "masked64"
    with fresh.database.write() as session:
        session.execute(delete(BuildChallenge))
    (one,) = report(agent, "aes-128-ctr").challenges
    assert (one.variant, one.shares, one.masking, one.generator) == ("ref", None, None, None)
    # Without a generator, no form can be challenged.
    listing["generators"] = []
    agent.post("/api/v1/builds", json=reported).raise_for_status()
    with fresh.database.write() as session:
        session.execute(delete(BuildChallenge))
    assert report(agent, "aes-128-ctr", variant="masked64").challenges == []
