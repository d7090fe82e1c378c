"""Expansion of plans: each combination once; the others are omissions with reasons, or the plan is refused."""

import tracemalloc
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs.planning.expansion import PlannedBuild, PlannedCase
from orchestrator.runs.planning.implementations import ChosenImplementation
from orchestrator.runs.planning.inputs import ChunkInput, Input, MessageInput
from orchestrator.runs.planning.offers import BuildOffer, FailedBuild
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.units import KIB
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.messages import Operation
from orchestrator.wire.plans import MAX_TOOLCHAINS, Plan
from tests.support.plans import (
    KINDS,
    agent,
    build,
    chosen,
    chunks,
    expanded,
    implementation,
    latency,
    matrix,
    plan,
)
from tests.support.untraced import untraced


class TestCases:
    def test_pattern_selects_the_algorithms_of_the_provider(self) -> None:
        found = chosen(expanded(matrix(["cryptopp"], ["*"])))
        assert found == [("cryptopp", "aes-128-ctr", "ref"), ("cryptopp", "chacha20-256", "ref")]

    def test_cases_are_numbered_and_executions_counted(self) -> None:
        inputs = {"kinds": ["text", "video"], "sizes": ["128 KiB", "256 KiB"]}
        found = expanded(matrix(["*"], ["aes-128-ctr"], inputs=inputs), repetitions=5)
        assert [case.number for case in found.cases] == list(range(8))
        assert found.executions_total == 40

    def test_overlapping_matrices_count_combinations_once(self) -> None:
        both = {"kinds": ["text", "audio"], "sizes": ["128 KiB", "128 KiB"]}
        found = expanded(matrix(["cryptopp"], ["aes-*"]), matrix(["crypto*"], ["aes-128-ctr", "aes-*"], inputs=both))
        assert [(case.implementation.algorithm, case.input) for case in found.cases] == [
            ("aes-128-ctr", ChunkInput("text", 128 * KIB)),
            ("aes-128-ctr", ChunkInput("audio", 128 * KIB)),
        ]

    def test_noop_requires_its_full_name_and_no_proof(self) -> None:
        assert ("cryptopp", "noop", "none") not in chosen(expanded(matrix(["cryptopp"], ["*"])))
        (case,) = expanded(matrix(["cryptopp"], ["noop"])).cases
        assert (case.operation, case.implementation.variant) == ("noop", "none")

    def test_noop_of_a_runner_without_ciphers_is_omitted(self) -> None:
        """Regression: its executions failed, because only runners of ciphers have the command."""
        digest = Operation(name="digest", inputs=("message",), check="digest")
        runners = {
            "own": (implementation("aes-128-ctr"),),
            "blake": (implementation("blake2s-256", declared=(digest,)),),
        }
        found = expand(plan(matrix(["*"], ["noop"])), [agent(runners=runners, missing_providers={})], chunks())
        assert chosen(found) == [("own", "noop", "none")]
        assert [omission.reason for omission in found.omissions] == ["blake has no ciphers, and so no noop."]

    def test_default_variant_is_that_of_the_runner(self) -> None:
        rows = (
            implementation("aes-128-ctr", "ref", default=False),
            implementation("aes-128-ctr", "neon", default=True),
        )
        found = expand(plan(matrix(["own"], ["aes-*"])), [agent(runners={"own": rows})], chunks())
        assert chosen(found) == [("own", "aes-128-ctr", "neon")]

    def test_every_agent_gets_its_cases(self) -> None:
        found = expand(plan(matrix(["own"], ["aes-*"])), [agent("a"), agent("b")], chunks())
        assert {agent_id: len(cases) for agent_id, cases in found.by_agent().items()} == {
            "a00000000000": 1,
            "b00000000000": 1,
        }

    def test_copies_are_consecutive_cases(self) -> None:
        inputs = {"kinds": ["text", "video"], "sizes": ["128 KiB"]}
        found = expanded(matrix(["own"], ["aes-*"], inputs=inputs, copies=3))
        assert [(case.number, case.input, case.copy) for case in found.cases] == [
            (number, ChunkInput(kind, 128 * KIB), copy)
            for number, (kind, copy) in enumerate([(kind, copy) for kind in ("text", "video") for copy in (1, 2, 3)])
        ]
        assert found.executions_total == 12

    def test_overlapping_matrices_use_the_maximum_of_copies(self) -> None:
        both = {"kinds": ["text", "audio"], "sizes": ["128 KiB"]}
        found = expanded(matrix(["own"], ["aes-*"], copies=2), matrix(["own"], ["aes-*"], inputs=both))
        assert [(case.input.kind, case.copy) for case in found.cases if isinstance(case.input, ChunkInput)] == [
            ("text", 1), ("text", 2), ("audio", 1),
        ]  # fmt: skip

    def test_executions_include_every_purpose(self) -> None:
        passes = {"warm_up": 2, "memory": "apart", "memory_repetitions": 4, "energy": {"windows": 5}}
        found = expanded(matrix(["own"], ["salsa20-256", "aes-128-ctr"], copies=2), repetitions=6, **passes)
        assert found.executions_total == 2 * (6 + 2 + 4 + 5)
        assert [omission.executions for omission in found.omissions] == [2 * (6 + 2 + 4 + 5)]
        assert expanded(matrix(["own"], ["aes-*"]), repetitions=6, memory="with-timing").executions_total == 6
        methods = {"shell_repetitions": 3, "blocked_repetitions": 6}
        assert expanded(matrix(["own"], ["aes-*"]), repetitions=6, **methods).executions_total == 6 + 3 + 6

    @given(
        providers=st.lists(st.sampled_from(["own", "cryptopp", "*"]), min_size=1, max_size=3),
        algorithms=st.lists(st.sampled_from(["*", "aes-*", "aes-128-ctr", "chacha20-256"]), min_size=1, max_size=3),
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
        matrices=st.integers(1, 3),
    )
    def test_combinations_are_unique(
        self, providers: list[str], algorithms: list[str], kinds: list[str], matrices: int
    ) -> None:
        one = matrix([*providers, "own"], [*algorithms, "aes-*"], inputs={"kinds": kinds, "sizes": ["128 KiB"]})
        found = expanded(*[one] * matrices)
        keys = [(case.implementation, case.input) for case in found.cases]
        assert len(set(keys)) == len(keys) > 0


class TestOmissions:
    @pytest.mark.parametrize(
        ("given", "omitted", "reason"),
        [
            (matrix(["own"], ["salsa20-256", "aes-128-ctr"]), ("own", "salsa20-256", None), "own has no Salsa20 yet"),
            (matrix(["botan", "own"], ["aes-128-ctr"]), ("botan", None, None), "libbotan is not installed"),
            (
                matrix(["own", "cryptopp"], ["chacha20-256"]),
                ("own", "chacha20-256", None),
                "own does not list chacha20",
            ),
            (matrix(["own"], ["aes-128-ctr"], variants=["*"]), ("own", "aes-128-ctr", "aesni"), "the processor lacks"),
        ],
    )
    def test_omission_has_the_reason_of_the_runner_or_build(
        self, given: dict[str, Any], omitted: tuple[str | None, ...], reason: str
    ) -> None:
        (omission,) = expanded(given).omissions
        assert (omission.provider, omission.algorithm, omission.variant, omission.executions) == (*omitted, 2)
        assert omission.reason.startswith(reason)

    @pytest.mark.parametrize(("proved", "reason"), [(False, "failed: vector 3"), (None, "have not run")])
    def test_implementation_without_passed_tests_is_omitted(self, proved: bool | None, reason: str) -> None:
        faulty = implementation("aes-128-ctr", proved=proved, proof_detail="vector 3")
        runners = {"own": (faulty,), "cryptopp": (implementation("aes-128-ctr"),)}
        found = expand(plan(matrix(["*"], ["aes-*"])), [agent(runners=runners, missing_providers={})], chunks())
        assert chosen(found) == [("cryptopp", "aes-128-ctr", "ref")]
        assert [reason in omission.reason for omission in found.omissions] == [True]

    def test_agent_of_another_architecture_is_omitted_with_its_executions(self) -> None:
        others = [agent("a"), agent("b", "x86_64")]
        found = expand(plan(matrix(["own"], ["aes-*"]), architectures=["x86_64"]), others, chunks())
        (omission,) = found.omissions
        assert (omission.agent_id, omission.executions) == ("a00000000000", 2)
        assert "a is aarch64; the plan expects x86_64" in omission.reason

    def test_agent_without_runners_is_omitted_from_a_pattern(self) -> None:
        found = expand(plan(matrix(["own"], ["aes-*"])), [agent("a"), agent("b", build=None)], chunks())
        (omission,) = found.omissions
        assert (omission.agent_id, omission.executions) == ("b00000000000", None)


class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "field", "detail"),
        [
            (
                {"matrix": [matrix(["own"], ["aes-128-crt"])]},
                "matrix[0].algorithms",
                "Unknown algorithm 'aes-128-crt'.*Did you mean aes-128-ctr",
            ),
            ({"matrix": [matrix(["own"], ["des-*"])]}, "matrix[0].algorithms", "matches 'des-\\*'"),
            ({"matrix": [matrix(["libfoo"], ["aes-*"])]}, "matrix[0].providers", "Unknown provider 'libfoo'"),
            ({"matrix": [matrix(["own"], ["aes-*"], variants=["neon"])]}, "matrix[0].variants", "Unknown variant"),
            ({"agents": ["po"]}, "agents[0]", "There is no agent 'po'"),
            ({"agents": ["x*"]}, "agents", "No agent matches x"),
            ({"architectures": ["armv7l"]}, "architectures", "architecture of this plan: pi is aarch64"),
            (
                {"matrix": [matrix(["own"], ["salsa20-256"])]},
                "matrix",
                "No agent can execute any case of this plan.*no Salsa20 yet\\. Compare",
            ),
        ],
    )
    def test_refusal_names_field_and_value(self, given: dict[str, Any], field: str, detail: str) -> None:
        document = {"version": 1, "name": "t", "repetitions": 1, "matrix": [matrix(["own"], ["aes-*"])], **given}
        with pytest.raises(PlanRefused, match=detail) as refusal:
            expand(Plan.model_validate(document), [agent()], chunks())
        assert refusal.value.field == field
        assert refusal.value.remedy

    @pytest.mark.parametrize(
        ("state", "detail"),
        [
            ({"revoked": True}, "was revoked"),
            ({"approved": False}, "waits for approval"),
            ({"build": None}, "has no runners yet"),
        ],
    )
    def test_named_agent_that_is_not_ready_is_refused(self, state: dict[str, Any], detail: str) -> None:
        with pytest.raises(PlanRefused, match=detail):
            expand(plan(matrix(["own"], ["aes-*"]), agents=["pi"]), [agent("a"), agent(**state)], chunks())

    def test_plan_without_registered_agents_is_refused(self) -> None:
        with pytest.raises(PlanRefused, match=r"No agent is registered.*ciphermark up"):
            expand(plan(matrix(["own"], ["aes-*"])), [], chunks())

    def test_too_many_executions_are_refused_before_cases_are_created(self) -> None:
        # 1000 lengths × 4 kinds × 3 implementations × 100 000 repetitions, in twenty matrices.
        sizes = list(range(1, 1001))
        large = matrix(["*"], ["*"], inputs={"kinds": list(KINDS), "sizes": sizes})
        document = plan(*[large] * 20, repetitions=100_000)
        tracemalloc.start()
        with pytest.raises(PlanRefused, match="has 1200000000 executions; at most 1000000 are allowed"), untraced():
            expand(document, [agent()], chunks(), max_executions=1_000_000)
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak_bytes < 50_000_000


GCC, CLANG, OPTIMISED = Toolchain(), Toolchain(compiler="clang"), Toolchain(compiler="clang", optimization="O3")
AXES = {"compiler": ["gcc", "clang"]}
ONE_MATRIX = matrix(["cryptopp"], ["*"])


class TestToolchains:
    def test_plan_without_toolchains_uses_the_default_build(self) -> None:
        found = expand(plan(ONE_MATRIX), [agent(builds={CLANG: build(2)})], chunks())
        assert {case.build for case in found.cases} == {PlannedBuild(None, 1)}
        assert found.requested_builds() == {}

    def test_every_case_is_executed_with_each_toolchain(self) -> None:
        offer = agent(builds={GCC: build(), CLANG: build(2)})
        found = expand(plan(ONE_MATRIX, toolchains=[AXES]), [offer], chunks())
        assert [(case.build.build_id, case.implementation.algorithm) for case in found.cases] == [
            (1, "aes-128-ctr"), (1, "chacha20-256"), (2, "aes-128-ctr"), (2, "chacha20-256"),
        ]  # fmt: skip
        assert found.requested_builds() == {
            offer.agent_id: {GCC: PlannedBuild(GCC, 1), CLANG: PlannedBuild(CLANG, 2)},
        }

    def test_missing_build_has_the_cases_of_the_default_build(self) -> None:
        offer = agent(builds={GCC: build()})
        found = expand(plan(ONE_MATRIX, toolchains=[AXES]), [offer], chunks())
        assert len(found.cases) == 4
        assert found.requested_builds()[offer.agent_id][CLANG] == PlannedBuild(CLANG, None)

    def test_missing_build_is_expected_to_pass_its_tests(self) -> None:
        # A fault of one compiler need not occur with another one.
        unproved = {"own": (implementation("aes-128-ctr", proved=False),)}
        ready = {"own": (implementation("aes-128-ctr"),)}
        offer = agent(runners=unproved, missing_providers={}, builds={GCC: build(2, ready, {})})
        found = expand(plan(matrix(["own"], ["*"]), toolchains=[AXES]), [offer], chunks())
        assert [case.build.build_id for case in found.cases] == [2, None]

    def test_cases_of_a_failed_build_have_its_reason(self) -> None:
        offer = agent(builds={GCC: build(), CLANG: FailedBuild(7, "clang++ is not installed")})
        found = expand(plan(ONE_MATRIX, toolchains=[AXES]), [offer], chunks())
        failed = [case.build for case in found.cases if case.build.failure is not None]
        assert failed == [PlannedBuild(CLANG, 7, "clang++ is not installed")] * 2
        assert found.executions_total == 8

    def test_two_names_of_one_build_are_one_build(self) -> None:
        versioned = Toolchain(version="12")
        offer = agent(builds={GCC: build(1), versioned: build(1)})
        found = expand(plan(ONE_MATRIX, toolchains=[{"version": [None, "12"]}]), [offer], chunks())
        assert len(found.cases) == 2

    def test_omission_names_the_toolchain_unless_it_concerns_all(self) -> None:
        without_botan = BuildOffer(2, {"own": (implementation("aes-128-ctr"),)}, {"cryptopp": "no static library"})
        offer = agent(builds={GCC: build(), CLANG: without_botan})
        requested = matrix(["own", "cryptopp"], ["aes-128-ctr", "chacha20-256"])
        found = expand(plan(requested, toolchains=[AXES]), [offer], chunks())
        assert [(omission.provider, omission.reason, omission.executions) for omission in found.omissions] == [
            ("own", "own does not list chacha20-256.", 4),
            ("cryptopp", "With clang -O2: no static library", 4),
        ]

    def test_algorithm_of_a_requested_build_is_known(self) -> None:
        special = build(2, {"own": (implementation("speck-64-96-ecb"),)}, {})
        found = expand(plan(matrix(["own"], ["speck-*"]), toolchains=[{"compiler": "clang"}]),
                       [agent(builds={CLANG: special})], chunks())  # fmt: skip
        assert chosen(found) == [("own", "speck-64-96-ecb", "ref")]

    @given(
        built=st.sets(st.sampled_from([GCC, CLANG, OPTIMISED])),
        failed=st.sets(st.sampled_from([GCC, CLANG, OPTIMISED])),
        algorithms=st.lists(st.sampled_from(["*", "aes-*", "noop"]), min_size=1, max_size=3),
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
    )
    def test_every_toolchain_has_the_same_combinations(
        self, built: set[Toolchain], failed: set[Toolchain], algorithms: list[str], kinds: list[str]
    ) -> None:
        offered = {one: FailedBuild(9, "no") for one in failed} | {
            one: build(number) for number, one in enumerate(sorted(built, key=lambda one: one.key), 2)
        }
        document = plan(
            matrix(["cryptopp"], algorithms, inputs={"kinds": kinds, "sizes": ["128 KiB"]}),
            toolchains=[AXES, {"compiler": "clang", "optimization": ["O2", "O3"]}],
        )
        found = expand(document, [agent(builds=offered)], chunks())
        per_toolchain = {
            toolchain: [(case.implementation, case.input) for case in found.cases if case.build.toolchain == toolchain]
            for toolchain in document.all_toolchains()
        }
        assert list(per_toolchain) == [GCC, CLANG, OPTIMISED]
        assert per_toolchain[GCC] == per_toolchain[CLANG] == per_toolchain[OPTIMISED]
        assert len(set(per_toolchain[GCC])) == len(per_toolchain[GCC]) > 0
        assert [case.number for case in found.cases] == list(range(len(found.cases)))

    def test_limit_includes_possible_rounds(self) -> None:
        document = plan(ONE_MATRIX, repetitions=6, precision={"relative_interval": 0.01, "max_repetitions": 1000})
        with pytest.raises(PlanRefused, match="may need 2000 executions; at most 1999 are allowed"):
            expand(document, [agent()], chunks(), max_executions=1999)

    def test_limit_includes_toolchains(self) -> None:
        axes = {"optimization": ["O0", "O1", "O2", "O3"], "march": [f"level{n}" for n in range(MAX_TOOLCHAINS // 4)]}
        with pytest.raises(PlanRefused, match="has 12800 executions; at most 12799 are allowed"):
            expand(plan(ONE_MATRIX, repetitions=100, toolchains=[axes]), [agent()], chunks(), max_executions=12_799)


class TestLatency:
    def test_latency_case_has_no_chunk(self) -> None:
        found = expand(plan(latency(["cryptopp"], ["aes-*"], [16])), [agent()], {})
        assert [(case.operation, case.input.length_bytes, case.chunk) for case in found.cases] == [
            ("encrypt", 16, None), ("decrypt", 16, None),
        ]  # fmt: skip
        assert found.missing_chunks == ()

    def test_inputs_that_are_not_accepted_are_omitted(self) -> None:
        requested = latency(["cryptopp"], ["aes-128-ctr", "noop"], [16], associated_data_lengths=[0, 32])
        found = expand(plan(requested), [agent()], {})
        assert [(omission.algorithm, omission.variant, omission.executions) for omission in found.omissions] == [
            ("aes-128-ctr", "ref", 4), ("noop", "none", 8),
        ]  # fmt: skip
        assert len(found.cases) == 2

    def test_batch_for_a_runner_that_takes_one_message_is_omitted(self) -> None:
        batch = latency(["cryptopp"], ["aes-128-ctr"], [16], operations=["encrypt", "encrypt-8"])
        found = expand(plan(batch), [agent()], {})
        assert [(omission.reason, omission.executions) for omission in found.omissions] == [
            ("A call of its encrypt processes one message, not 8.", 2)
        ]
        with pytest.raises(PlanRefused, match="Unknown operation 'encrypt-x': no agent of this plan lists it"):
            expand(plan(latency(["cryptopp"], ["aes-128-ctr"], [16], operations=["encrypt-x"])), [agent()], {})

    def test_plan_may_use_both_protocols(self) -> None:
        found = expand(plan(ONE_MATRIX, latency(["cryptopp"], ["*"], [16])), [agent()], chunks())
        assert [case.operation for case in found.cases] == ["key-setup+encrypt+decrypt", "encrypt", "decrypt"] * 2

    def test_only_declared_inputs_decide_which_operations_have_a_message(self) -> None:
        sign = Operation(name="sign", inputs=("message", "key"), check="verification")
        operations = (Operation(name="key-generation", inputs=(), check="verification"), sign)
        signing = ChosenImplementation("own", "ed25519", "ref", operations, "key-generation+sign")
        timed = partial(MessageInput, associated_data_bytes=0, fill="zero", key_fill="zero", key_setup="apart",
                        timings=3, min_timing_ms=1.0)  # fmt: skip
        inputs: list[Input] = [ChunkInput("text", 4096), timed("sign", 16), timed("key-generation", 0)]
        found = [PlannedCase(0, "pi", PlannedBuild(None, 1), signing, one, None) for one in inputs]
        assert [(case.operation, case.message_operations) for case in found] == [
            ("key-generation+sign", "sign"), ("sign", "sign"), ("key-generation", ""),
        ]  # fmt: skip


class TestMissingChunks:
    def test_missing_chunks_are_listed_and_their_cases_counted(self) -> None:
        inputs = {"kinds": ["text", "video"], "sizes": ["128 KiB", "1 MiB"]}
        found = expanded(matrix(["cryptopp"], ["aes-*"]), matrix(["cryptopp"], ["aes-*"], inputs=inputs))
        assert found.executions_total == 8
        assert [(chunk.kind, chunk.length_bytes, chunk.field) for chunk in found.missing_chunks] == [
            ("text", 1024 * KIB, "matrix[1].inputs"),
            ("video", 1024 * KIB, "matrix[1].inputs"),
        ]
        assert "corpus build" in found.missing_chunks[0].remedy
