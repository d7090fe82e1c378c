import hashlib
from typing import Any

import pytest
from sqlalchemy import select, update

from corpus.catalogue import chunk_store
from orchestrator.agents.enrollment import revoke
from orchestrator.database.models import (
    Agent,
    Build,
    Event,
    Execution,
    ExpectedDigest,
    FalseReport,
    PendingDigest,
    Run,
    now,
)
from orchestrator.results.digests import repository
from orchestrator.results.digests.service import resolve_pending
from orchestrator.service.trust import service as trust
from orchestrator.service.trust.kinds import Finding
from orchestrator.wire.jobs import latency_input_sha256
from tests.support.result_world import AGENT, CHUNK_SHA256, World, latency_record, record

OTHER, THIRD = "d" * 64, "c" * 64
SECOND, LIAR = "agent0000002", "agent0000003"


def measure(world: World, case_id: int, repetitions: range, agent: str = AGENT, **changes: Any) -> None:
    world.store(*(record(case_id, repetition, **changes) for repetition in repetitions), agent=agent)


def resolve(world: World) -> int:
    return resolve_pending(world.database, world.settings, 10)


def bases(world: World) -> list[str]:
    with world.database.read() as session:
        return list(session.scalars(select(ExpectedDigest.basis)))


def agent_of(world: World, agent_id: str) -> Agent:
    with world.database.read() as session:
        return session.get_one(Agent, agent_id)


def failure_of(world: World, case_id: int) -> dict[str, Any]:
    with world.database.read() as session:
        return session.scalars(select(Execution.failure).where(Execution.case_id == case_id)).first() or {}


class TestServiceComputation:
    def test_earlier_executions_of_a_wrong_provider_become_wrong(self, world: World) -> None:
        cases = world.run(["own", "botan"])
        measure(world, cases["botan"], range(1, 4), output_sha256=OTHER)
        measure(world, cases["own"], range(1, 7))
        assert world.states(cases["botan"])[:3] == ["ok"] * 3
        assert resolve(world) == 1
        assert world.states(cases["botan"])[:3] == ["wrong"] * 3
        assert world.summary(cases["botan"]).wrong == 3
        assert world.summary(cases["botan"]).phases is None
        assert world.states(cases["own"]) == ["ok"] * 6
        with world.database.read() as session:
            verdicts = [event.data for event in session.scalars(select(Event).where(Event.kind == "verdict"))]
            failure = session.scalars(select(Execution.failure).where(Execution.case_id == cases["botan"])).first()
        assert [(one["state"], one["executions"]) for one in verdicts] == [("wrong", 3)]
        assert failure is not None
        assert failure["error"] == "digest-differs"

    def test_later_records_are_compared_when_stored(self, world: World) -> None:
        cases = world.run(["own", "botan"])
        measure(world, cases["own"], range(1, 2))
        resolve(world)
        measure(world, cases["botan"], range(1, 3), output_sha256=OTHER)
        assert world.states(cases["botan"])[:2] == ["wrong", "wrong"]
        # Judged again, because the contradiction is a false report, and because the agent is distrusted then.
        assert [resolve(world) for _ in range(3)] == [1, 1, 0]

    def test_every_provider_against_the_service_is_wrong(self, world: World) -> None:
        cases = world.run(["own", "botan"])
        for provider in cases:
            measure(world, cases[provider], range(1, 2), output_sha256=OTHER)
        resolve(world)
        assert [world.states(case_id)[0] for case_id in cases.values()] == ["wrong", "wrong"]

    def test_contradiction_with_passed_known_answers_quarantines_the_agent(self, world: World) -> None:
        measure(world, world.run(["own"])["own"], range(1, 2), output_sha256=OTHER)
        resolve(world)
        agent = agent_of(world, AGENT)
        assert (agent.health, agent.distrusted_at is not None) == ("quarantined", True)
        assert OTHER in agent.health_reason
        with world.database.read() as session:
            (found,) = session.scalars(select(FalseReport)).all()
        assert (found.kind, found.proven, found.times) == ("digest-contradicted", True, 1)
        assert (found.evidence["seen"], found.evidence["provider"]) == (OTHER, "own")

    def test_contradiction_of_an_unproven_or_prebuilt_program_accuses_no_agent(self, world: World) -> None:
        # Programs of unknown origin may compute wrongly without a fault of the agent; their results are wrong.
        unproven = world.run(["own"], unproven=["own"])["own"]
        measure(world, unproven, range(1, 2), output_sha256=OTHER)
        prebuilt = world.run(["botan"], run_id="run000000002", builds={"botan": "d" * 64})["botan"]
        with world.database.write() as session:
            session.execute(update(Build).where(Build.build_key == "d" * 64).values(prebuilt=True))
        measure(world, prebuilt, range(1, 2), output_sha256=OTHER)
        resolve(world)
        assert [world.states(case_id)[0] for case_id in (unproven, prebuilt)] == ["wrong", "wrong"]
        assert agent_of(world, AGENT).health == "unchecked"

    def test_third_contradiction_of_prebuilt_programs_quarantines_their_agent(self, world: World) -> None:
        # Finding S103: 'prebuilt' is the agent's own word, and excused any number of wrong results.
        states = []
        for number, algorithm in enumerate(("aes-128-ctr", "aes-192-ctr", "aes-256-ctr")):
            case_id = world.run(["botan"], algorithm, run_id=f"run00000000{number}")["botan"]
            with world.database.write() as session:
                session.execute(update(Build).values(prebuilt=True))
            measure(world, case_id, range(1, 2), output_sha256=OTHER)
            resolve(world)
            states.append(agent_of(world, AGENT).health)
        assert states == ["unchecked", "unchecked", "quarantined"]

    def test_a_damaged_chunk_leaves_one_agent_as_the_basis(self, world: World) -> None:
        cases = world.run(["own", "botan"])
        for provider in cases:
            measure(world, cases[provider], range(1, 2))
        chunk_store(world.settings.corpus_folder).path(CHUNK_SHA256).write_bytes(b"damaged")
        resolve(world)
        assert bases(world) == []
        assert world.case(cases["own"]).vouched_by == "one agent"

    def test_service_vouches_for_what_it_computed(self, world: World) -> None:
        case_id = world.run(["own"])["own"]
        measure(world, case_id, range(1, 2))
        assert world.case(case_id).vouched_by == "one agent"
        resolve(world)
        assert world.case(case_id).vouched_by == "service"


class TestNoop:
    def test_noop_must_copy_its_input_and_needs_no_judgment(self, world: World) -> None:
        case_id = world.run(["own"], "noop")["own"]
        measure(world, case_id, range(1, 2), output_sha256=CHUNK_SHA256)
        measure(world, case_id, range(2, 3), output_sha256=OTHER)
        assert world.states(case_id)[:2] == ["ok", "wrong"]
        assert resolve(world) == 0


class TestAgreement:
    ALGORITHM = "salsa20-256"  # which Python's cryptography lacks

    def test_third_agent_settles_a_dispute(self, world: World) -> None:
        cases = {
            agent: world.run(["own"], self.ALGORITHM, run_id=f"run{agent[5:]}00", agent=agent)["own"]
            for agent in (AGENT, world.add_agent(SECOND, "pi5"), world.add_agent(LIAR, "liar"))
        }
        measure(world, cases[AGENT], range(1, 3), AGENT, output_sha256=OTHER)
        measure(world, cases[LIAR], range(1, 3), LIAR, output_sha256=THIRD)
        resolve(world)
        assert {state for agent in (AGENT, LIAR) for state in world.states(cases[agent])[:2]} == {"disputed"}
        assert failure_of(world, cases[AGENT])["detail"].count("(own)") == 2
        measure(world, cases[SECOND], range(1, 3), SECOND, output_sha256=OTHER)
        resolve(world)
        assert bases(world) == ["agents"]
        assert world.states(cases[AGENT])[:2] == world.states(cases[SECOND])[:2] == ["ok", "ok"]
        assert world.states(cases[LIAR])[:2] == ["wrong", "wrong"]
        assert world.case(cases[AGENT]).vouched_by == "agents pi and pi5"

    def test_two_providers_of_one_agent_never_make_another_agent_wrong(self, world: World) -> None:
        # Finding S1: honest executions of a finished run became wrong.
        honest = world.run(["own"], self.ALGORITHM)["own"]
        measure(world, honest, range(1, 7), output_sha256=THIRD)
        resolve(world)
        others = world.run(["own", "botan"], self.ALGORITHM, run_id="run000000002", agent=world.add_agent(LIAR, "liar"))
        for case_id in others.values():
            measure(world, case_id, range(1, 3), LIAR, output_sha256=OTHER)
        resolve(world)
        assert "wrong" not in world.states(honest)
        assert bases(world) == []

    def test_finished_result_is_not_disputed_by_one_later_report(self, world: World) -> None:
        # Finding S103: ten finished, ranked executions became disputed.
        honest = world.run(["own"], self.ALGORITHM, repetitions=2)["own"]
        measure(world, honest, range(1, 3), output_sha256=THIRD)
        with world.database.write() as session:
            session.execute(update(Run).values(state="finished", finished_at=now()))
        resolve(world)
        liar = world.run(["own"], self.ALGORITHM, run_id="run000000002", agent=world.add_agent(LIAR, "liar"))["own"]
        measure(world, liar, range(1, 3), LIAR, output_sha256=OTHER)
        resolve(world)
        assert world.states(honest) == ["ok", "ok"]
        assert world.states(liar)[:2] == ["disputed", "disputed"]
        detail = failure_of(world, liar)["detail"]
        assert "was finished before" in detail

    def test_revocation_ends_the_disputes_of_an_agent(self, world: World) -> None:
        cases = {
            agent: world.run(["own"], self.ALGORITHM, run_id=f"run{agent[5:]}00", agent=agent)["own"]
            for agent in (AGENT, world.add_agent(LIAR, "liar"))
        }
        for agent, digest in ((AGENT, OTHER), (LIAR, THIRD)):
            measure(world, cases[agent], range(1, 3), agent, output_sha256=digest)
        resolve(world)
        assert world.states(cases[AGENT])[:2] == ["disputed"] * 2
        revoke(world.database, LIAR)
        resolve(world)
        assert world.states(cases[AGENT])[:2] == ["ok"] * 2

    def test_agreement_is_judged_again_with_the_service_and_after_a_false_report(self, world: World) -> None:
        honest = world.run(["own"], self.ALGORITHM)["own"]
        measure(world, honest, range(1, 2), output_sha256=THIRD)
        for number, agent in enumerate((world.add_agent(SECOND, "liar1"), world.add_agent(LIAR, "liar2"))):
            other = world.run(["own"], self.ALGORITHM, run_id=f"run00000001{number}", agent=agent)["own"]
            measure(world, other, range(1, 2), agent, output_sha256=OTHER)
        resolve(world)
        assert (bases(world), world.states(honest)[0]) == (["agents"], "wrong")
        finding = Finding("impossible-time", "for a test")
        with world.database.write() as session:
            trust.note(session, LIAR, [finding])
        resolve(world)
        assert (bases(world), world.states(honest)[0]) == ([], "disputed")
        with world.database.write() as session:
            trust.note(session, SECOND, [finding])
        resolve(world)
        assert world.states(honest)[0] == "ok"
        pair = (self.ALGORITHM, CHUNK_SHA256)
        with world.database.write() as session:
            repository.store_service_digest(session, pair, output_sha256=THIRD, computed_by="a runner")
            repository.add_pending(session, [pair])
            trust.trust(session, LIAR)
        resolve(world)
        assert (bases(world), world.states(honest)[0]) == (["service"], "ok")
        assert agent_of(world, LIAR).distrusted_at is not None

    def test_one_provider_alone_stays_ok_and_unconfirmed(self, world: World) -> None:
        case_id = world.run(["own"], self.ALGORITHM)["own"]
        measure(world, case_id, range(1, 3), output_sha256=OTHER)
        assert resolve(world) == 1
        assert (bases(world), world.states(case_id)[:2]) == ([], ["ok", "ok"])

    def test_runner_failure_is_never_overruled(self, world: World) -> None:
        # A round trip that fails while the ciphertext is right: decryption is wrong, so the execution stays wrong.
        cases = world.run(["own", "botan"])
        measure(world, cases["own"], range(1, 2), state="wrong")
        measure(world, cases["botan"], range(1, 2))
        resolve(world)
        assert world.states(cases["own"])[0] == "wrong"
        assert world.states(cases["botan"])[0] == "ok"


class TestQuestions:
    def test_pending_digest_requested_again_stays_pending(self, world: World) -> None:
        case_id = world.run(["own"], "salsa20-256")["own"]
        measure(world, case_id, range(1, 2), output_sha256=OTHER)
        with world.database.read() as session:
            question = session.scalars(select(PendingDigest)).one()
        measure(world, case_id, range(2, 3), output_sha256=OTHER)
        with world.database.write() as session:
            repository.remove_pending(session, question)
        assert resolve(world) == 1
        assert resolve(world) == 0


class TestTimedCalls:
    """Ciphertexts of timed encryptions are compared by the description of their input."""

    def encrypt(self, world: World, case_id: int, digest: str, agent: str = AGENT) -> None:
        world.store(*(latency_record(case_id, i, output_sha256=digest) for i in range(1, 3)), agent=agent)

    def test_two_agents_that_agree_judge_a_third(self, world: World) -> None:
        cases = {}
        world.add_agent(SECOND, "pi5")
        world.add_agent(LIAR, "liar")
        for agent, digest in ((AGENT, OTHER), (SECOND, OTHER), (LIAR, THIRD)):
            cases[agent] = world.time_calls({"own": {}}, run_id=f"run{agent[5:]}00", agent=agent)["own"]
            self.encrypt(world, cases[agent], digest, agent)
        assert resolve(world) == 1
        assert bases(world) == ["agents"]
        assert [world.states(cases[agent])[0] for agent in cases] == ["ok", "ok", "wrong"]
        assert world.summary(cases[LIAR]).median_call_wall_ns is None

    @pytest.mark.parametrize(("variant", "builds"), [("opt64", {"other": "c" * 64}), ("opt32", {})])
    def test_builds_and_variants_of_one_provider_that_differ_are_disputed(
        self, world: World, variant: str, builds: dict[str, str]
    ) -> None:
        # A compiler that breaks a cipher in a way that its known answers do not see.
        cases = world.time_calls({"one": {}, "other": {"variant": variant}}, builds=builds)
        self.encrypt(world, cases["one"], OTHER)
        self.encrypt(world, cases["other"], THIRD)
        resolve(world)
        assert {state for case_id in cases.values() for state in world.states(case_id)[:2]} == {"disputed"}

    def test_a_decryption_has_no_ciphertext_to_judge(self, world: World) -> None:
        # It has the same input as the encryption whose ciphertext is known, and none of its own.
        cases = world.time_calls({"own": {}, "botan": {"provider": "botan"}, "back": {"operation": "decrypt"}})
        for name in ("own", "botan"):
            self.encrypt(world, cases[name], OTHER)
        resolve(world)
        world.store(*(latency_record(cases["back"], i, output_sha256=None) for i in range(1, 3)))
        assert world.states(cases["back"])[:2] == ["ok", "ok"]

    def test_a_third_party_makes_the_same_message_where_it_can(self, world: World) -> None:
        zeros = {"algorithm": "aes-128-ctr", "fill": "zero", "key_fill": "zero",
                 "input_sha256": latency_input_sha256("zero", "zero", 16, 0)}  # fmt: skip
        cases = world.time_calls({"own": zeros, "botan": zeros | {"provider": "botan"}})
        # AES-128 of a zero block under a zero key is the keystream here.
        right = hashlib.sha256(bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e")).hexdigest()
        self.encrypt(world, cases["own"], right)
        self.encrypt(world, cases["botan"], OTHER)
        resolve(world)
        assert bases(world) == ["service"]
        assert [world.states(cases[name])[0] for name in cases] == ["ok", "wrong"]

    def test_associated_data_has_no_reference(self, world: World) -> None:
        sealed = {"algorithm": "chacha20-poly1305", "associated_data_bytes": 32, "input_sha256": "7" * 64}
        cases = world.time_calls({"own": sealed})
        self.encrypt(world, cases["own"], OTHER)
        resolve(world)
        assert (bases(world), world.states(cases["own"])[0]) == ([], "ok")

    def test_other_messages_are_other_inputs(self, world: World) -> None:
        cases = world.time_calls({"one": {}, "longer": {"message_bytes": 32, "input_sha256": "9" * 64}})
        self.encrypt(world, cases["one"], OTHER)
        self.encrypt(world, cases["longer"], THIRD)
        assert resolve(world) == 2
        assert {state for case_id in cases.values() for state in world.states(case_id)[:2]} == {"ok"}
