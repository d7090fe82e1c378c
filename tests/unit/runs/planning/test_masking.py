"""Masked variants in plans: only a matrix with masking selects them, in its forms; omissions have reasons."""

from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.runs.planning.budget import MAX_STEPS
from orchestrator.runs.planning.estimation.estimate import measured_key
from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.values.forms import UNMASKED, Form
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.plans import Masking
from tests.support.plans import agent, chunks, implementation, latency, masked, plan

OWN = {
    "own": (
        implementation("ascon-128", "opt64", default=True, kind="aead"),
        masked("ascon-128"),
        masked("ascon-128", "masked32"),
        implementation("gift-cofb", "words", default=True, kind="aead"),
        masked("gift-cofb", "masked64", "full"),
        implementation("aes-128-ctr"),
    )
}

FULL = {"shares": 2, "degrees": "full"}
MASKING = "masking: {shares: [2, 3], degrees: [full]}"


def expanded(*matrices: dict[str, Any], **given: Any) -> Expansion:
    return expand(plan(*matrices), [agent(runners=OWN)], chunks(), **given)


def calls(algorithms: list[str], forms: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    matrix = latency(["own"], algorithms, [16], operations=["encrypt"]) | given
    return matrix if forms is None else matrix | {"masking": forms}


def forms_of(found: Expansion) -> list[tuple[str, str, Form]]:
    return [(one.algorithm, one.variant, one.form) for one in (case.implementation for case in found.cases)]


def reasons(found: Expansion) -> list[tuple[str | None, str, int | None]]:
    return [(one.algorithm, one.reason, one.executions) for one in found.omissions]


class TestSelection:
    def test_matrix_without_masking_selects_no_masked_variant(self) -> None:
        found = expanded(calls(["*"], variants=["*"]))
        assert [name[:2] for name in forms_of(found)] == [
            ("aes-128-ctr", "ref"), ("ascon-128", "opt64"), ("gift-cofb", "words"),
        ]  # fmt: skip
        assert {form for _, _, form in forms_of(found)} == {UNMASKED}
        assert not found.omissions

    def test_each_form_is_a_case_of_the_preferred_masked_variant(self) -> None:
        forms = {"shares": [2, 3], "degrees": ["full"], "generators": ["chacha20", "free"]}
        found = expanded(calls(["ascon-128"], forms))
        assert forms_of(found) == [
            ("ascon-128", "masked64", Form(shares, "full", generator))
            for shares in (2, 3)
            for generator in ("chacha20", "free")
        ]
        assert found.executions_total == 8

    def test_star_selects_every_share_count_degree_and_generator(self) -> None:
        forms = {"shares": "*", "degrees": "*", "generators": "*"}
        found = expanded(calls(["ascon-128"], forms, variants=["masked*"]))
        assert len(found.cases) == 2 * 5 * 2 * 2
        assert {form.generator for _, _, form in forms_of(found)} == {"free", "chacha20"}
        assert reasons(found) == [
            ("ascon-128", "The generator aes-ctr is not available: the processor lacks aes.", 20)
        ] * 2  # fmt: skip

    def test_pattern_selects_masked_variants_only(self) -> None:
        found = expanded(calls(["*"], {"shares": 2, "degrees": "full"}, variants=["*"]))
        assert [name[:2] for name in forms_of(found)] == [
            ("ascon-128", "masked32"), ("ascon-128", "masked64"), ("gift-cofb", "masked64"),
        ]  # fmt: skip
        assert reasons(found) == [("aes-128-ctr", "own has no masked variant of aes-128-ctr.", 2)]

    def test_forms_of_two_matrices_are_cases_of_one_run(self) -> None:
        unmasked, two = calls(["ascon-128"]), calls(["ascon-128"], {"shares": [2, 2], "degrees": "full"})
        found = expanded(unmasked, two, two)
        assert [form for _, _, form in forms_of(found)] == [UNMASKED, Form(2, "full", "chacha20")]
        assert len({measured_key(case) for case in found.cases}) == 2


class TestBuilds:
    """Masked variants are in a build of their own, unless the default build has them."""

    LIGHT = {"own": tuple(row for row in OWN["own"] if row.masking is None)}

    def expanded(self, **given: Any) -> Expansion:
        masked_rows = tuple(row for row in OWN["own"] if row.masking is not None)
        matrices = calls(["ascon-128"]), calls(["ascon-128"], FULL)
        return expand(plan(*matrices, **given), [agent(runners=self.LIGHT, masked=masked_rows)], chunks())

    def test_masked_and_unmasked_cases_wait_for_a_build_with_masked_variants(self) -> None:
        found = self.expanded()
        assert [name for _, name, _ in forms_of(found)] == ["opt64", "masked64"]
        assert {(case.build.toolchain, case.build.build_id) for case in found.cases} == {(Toolchain(masked=True), None)}


class TestOmissions:
    def test_degree_that_a_cipher_lacks_is_omitted_with_what_exists(self) -> None:
        found = expanded(calls(["gift-cofb", "ascon-128"], {"shares": [2, 3], "degrees": ["full", "init"]}))
        assert len(found.cases) == 4
        assert reasons(found) == [
            ("gift-cofb", "masked64 exists with masking full, not init.", 4),
            ("ascon-128", "masked64 exists with masking full and init-final, not init.", 4),
        ]

    def test_unproved_masked_variant_is_omitted_once(self) -> None:
        runners = {"own": (masked("ascon-128", proved=False, proof_detail="3 shares: count 7"), *OWN["own"][3:])}
        with pytest.raises(PlanRefused, match="Its known-answer tests failed: 3 shares: count 7"):
            expand(plan(calls(["ascon-128"], {"shares": "*", "degrees": "*"})), [agent(runners=runners)], {})


class TestRefusals:
    @pytest.mark.parametrize(
        ("forms", "variants", "detail", "remedy"),
        [
            (None, "masked64", "'masked64' selects masked variants, and this matrix has no masking.", MASKING),
            (None, "masked*", "'masked*' selects masked variants, and this matrix has no masking.", MASKING),
            (FULL, "opt64", "No masked variant matches 'opt64'.", "masked32, masked64"),
            (
                FULL | {"generators": ["rdrand"]}, "*", "Unknown generator 'rdrand': no agent of this plan lists it.",
                "Known: aes-ctr, chacha20, free.",
            ),
        ],
    )  # fmt: skip
    def test_refusal_names_what_exists(
        self, forms: dict[str, Any] | None, variants: str, detail: str, remedy: str
    ) -> None:
        with pytest.raises(PlanRefused) as refused:
            expanded(calls(["ascon-128"], forms, variants=[variants]))
        assert refused.value.detail == detail
        assert remedy in refused.value.remedy
        field = "masking.generators" if "generator" in detail else "variants"
        assert refused.value.field == f"matrix[0].{field}"

    def test_agent_without_masked_variants_is_refused(self) -> None:
        with pytest.raises(PlanRefused, match="No agent of this plan has masked variants"):
            expand(
                plan(calls(["aes-128-ctr"], FULL)),
                [agent(runners={"own": OWN["own"][-1:]})],
                {},
            )

    def test_forms_count_in_the_budget(self) -> None:
        rows = tuple(masked(f"cipher-{number}", f"masked{number}") for number in range(200))
        many = calls(["*"], {"shares": "*", "degrees": "*", "generators": "*"}, variants=["*"])
        # A tenth of the plan that reaches the limit, with a tenth of the limit.
        with pytest.raises(PlanRefused, match="its forms of masked variants take more than"):
            expand(plan(*[many] * 4), [agent(runners={"own": rows})], {}, max_steps=MAX_STEPS // 10)


@pytest.mark.parametrize(
    ("forms", "message"),
    [
        ({"shares": 7, "degrees": "full"}, "masked variants have 2 to 6 shares; expected one of these numbers, or *"),
        ({"shares": [1], "degrees": "full"}, "masked variants have 2 to 6 shares"),
        ({"shares": [True], "degrees": "full"}, "masked variants have 2 to 6 shares"),
        ({"shares": 2, "degrees": "half"}, "Input should be 'full', 'init-final', 'init' or '*'"),
        ({"shares": 2}, "Field required"),
        ({"shares": [], "degrees": "full"}, "at least 1 item"),
        ({"shares": 2, "degrees": "full", "generators": ["--help"]}, "String should match pattern"),
    ],
)
def test_error_of_an_invalid_axis_contains_what_exists(forms: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as error:
        Masking.model_validate(forms)
    assert message in str(error.value)
