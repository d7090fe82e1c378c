"""The included plans are valid and have the size that their comments state."""

import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from orchestrator.papers.registry import papers
from orchestrator.results.answers.masking.sums import TERMS
from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.planning.offers import AgentOffer, BuildOffer, OfferedImplementation
from orchestrator.runs.planning.plan import parse_text, validate
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.units import KIB
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.plans import Matrix, Messages, Plan
from tests.support.paths import REPOSITORY
from tests.support.plans import agent, implementation, masked

FOLDER = REPOSITORY / "plans"
MAX_PLAN_BYTES = 64 * KIB


def read(name: str) -> Plan:
    return validate(parse_text((FOLDER / name).read_text(encoding="utf-8"), MAX_PLAN_BYTES))


def inputs(matrix: Matrix) -> int:
    """Return how many inputs each implementation of a matrix gets."""
    if matrix.inputs is not None:
        return len(matrix.inputs.kinds) * len(matrix.inputs.sizes)
    assert matrix.messages is not None
    return len(calls(matrix.messages))


def calls(messages: Messages) -> set[tuple[str, str, int, int]]:
    """Return each (operation, key setup, length, associated data) that is timed; a key setup has no message."""
    lengths = product(messages.key_setup, messages.lengths, messages.associated_data_lengths)
    timed = {(operation, *rest) for rest in lengths for operation in messages.operations if operation != "key-setup"}
    return timed | ({("key-setup", "apart", 0, 0)} if "key-setup" in messages.operations else set())


def combinations(plan: Plan) -> int:
    return max(1, len(plan.all_toolchains())) * sum(
        len(block.providers) * len(block.algorithms) * len(block.variants) * inputs(block) for block in plan.matrix
    )


PORTABLE = {
    **{f"tinyjambu-{bits}": ("aead", 4, ["scalar", "avx512"]) for bits in (128, 192, 256)},
    "ascon-aead128": ("aead", 8, ["opt64", "opt32"]),
    "present-80-ecb": ("block-mode", 8, ["bitsliced64", "avx512"]),
    "aes-256-ecb": ("block-mode", 16, ["ref", "bitsliced64", "vaes"]),
    **{f"{cipher}-{bits}-128-ecb": ("block-mode", bits // 8, ["words", "avx512"])
       for cipher in ("simon", "speck") for bits in (64, 128)},
}  # fmt: skip
"""Algorithm → kind, block and variants of our runner, as far as the plans name them."""


def expanded(name: str, ascon: str) -> Expansion:
    """Expand a plan for an agent with vector instructions, on which Ascon's default variant is this one."""
    rows = [
        OfferedImplementation(
            algorithm, variant, available=True, proved=True, kind=kind, block_bytes=block_bytes,
            default=variant == (ascon if algorithm.startswith("ascon") else variants[-1]),
            whole_blocks_only=kind == "block-mode",
        )
        for algorithm, (kind, block_bytes, variants) in PORTABLE.items()
        for variant in variants
    ]  # fmt: skip
    agent = AgentOffer("a" * 12, "pi", "aarch64", build=BuildOffer(1, {"own": tuple(rows)}))
    return expand(read(name), [agent], {})


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.name)
class TestEveryPlan:
    def test_plan_is_valid_and_named_after_its_file(self, path: Path) -> None:
        assert read(path.name).name == path.stem

    def test_it_repeats_often_enough_for_an_interval(self, path: Path) -> None:
        assert read(path.name).repetitions >= 6

    def test_it_names_algorithms_without_patterns(self, path: Path) -> None:
        # A pattern would grow with the next cipher, and the durations in the comments would no longer be true.
        named = [name for block in read(path.name).matrix for name in block.algorithms]
        assert not [name for name in named if set(name) & set("*?[")]


@pytest.mark.parametrize("page", ["README.md", "docs/plans.md"])
def test_plans_in_the_documentation_are_valid(page: str) -> None:
    """An example without a version shows keys of the page's first plan, unless it is marked as a fragment."""
    shown = re.findall(r"```yaml\n(.*?)```", (REPOSITORY / page).read_text(encoding="utf-8"), re.DOTALL)
    documents = [parse_text(text, MAX_PLAN_BYTES) for text in shown if not text.startswith("# Fragment")]
    assert len(documents) >= 2
    for document in documents:
        validate(document if "version" in document else documents[0] | document)


@pytest.mark.parametrize(
    ("name", "repetitions", "executions"),
    [
        ("evalme-2021", 20, 2 * 12 * 4 * 6 * 20),
        ("evalme-2021-watching", 12 + 12, 2 * 3 * 3 * 24),
        ("evalme-2021-order", 12 + 12, 768 * 24),
        ("demo", 6, 864),
        ("quick", 9, 1854),
        ("lightweight-pi", 10, 160 * 10),
        ("lwc-aead", 10, 208 * 10),
        ("precise", 12, 16 * 12),
    ],
)
def test_plan_has_as_many_executions_as_its_comment_states(name: str, repetitions: int, executions: int) -> None:
    plan = read(f"{name}.yaml")
    assert plan.repetitions + plan.shell_repetitions + plan.blocked_repetitions == repetitions
    assert combinations(plan) * plan.matrix[0].copies * repetitions == executions


class TestFurtherPlans:
    @pytest.mark.parametrize(
        ("paper", "plan"),
        [(one.name, plan) for one in papers().values() for plan in one.further_plans],
    )
    def test_header_names_the_question_and_the_duration_and_the_report(self, paper: str, plan: str) -> None:
        text = (FOLDER / f"{plan}.yaml").read_text(encoding="utf-8")
        header = " ".join(line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#"))
        assert "Answers: " in header
        assert "minute" in header
        assert f"ciphermark submit plans/{plan}.yaml" in header
        assert f"ciphermark papers report {paper} latest" in header

    def test_every_plan_named_after_a_paper_is_listed_by_it(self) -> None:
        listed = {plan for one in papers().values() for plan in one.further_plans}
        files = {path.stem for path in FOLDER.glob("*.yaml")}
        assert {name for name in files if any(name.startswith(f"{paper}-") for paper in papers())} <= listed


class TestTinyjambuCompilers:
    def test_it_is_the_whole_paper(self) -> None:
        own, binding = read("tinyjambu-compilers.yaml").matrix
        assert own.messages is not None
        assert own.messages == binding.messages
        assert own.messages.lengths == [2**power for power in range(6, 13)]
        assert own.messages.associated_data_lengths == [32]

    def test_the_planner_makes_cases_of_two_compilers_and_the_binding(self) -> None:
        found = expanded("tinyjambu-compilers.yaml", "opt64")
        cases = Counter((one.implementation.provider, one.build.toolchain.compiler) for one in found.cases)
        assert cases == {("own", "gcc"): 42, ("own", "clang"): 42, ("python-binding", "cpython-binding"): 42}
        assert found.omissions == ()

    def test_both_compilers_get_the_same_code(self) -> None:
        # A default variant may be another one for each processor: then the compilers would not be what is compared.
        assert read("tinyjambu-compilers.yaml").matrix[0].variants == ["scalar"]


class TestLightweightPi:
    @pytest.mark.parametrize(("ascon", "cases"), [("opt64", 150), ("opt32", 150)])
    def test_the_planner_counts_a_default_that_is_the_portable_one_once(self, ascon: str, cases: int) -> None:
        found = expanded("lightweight-pi.yaml", ascon)
        assert (len(found.cases), found.omissions) == (cases, ())

    def test_message_and_key_are_zeros(self) -> None:
        messages = [block.messages for block in read("lightweight-pi.yaml").matrix]
        assert {(one.fill, one.key, tuple(one.lengths)) for one in messages if one} == {("zero", "zero", (16,))}


@pytest.mark.parametrize("name", papers())
def test_quick_scale_has_only_inputs_and_toolchains_of_the_paper(name: str) -> None:
    """Regression: quick scales measured 2 MiB for a paper without it, and judged a claim about -O3 at -O2 (F102)."""
    paper = papers()[name]
    full = parse_text(paper.plan_text())
    whole, quick = validate(full), validate(paper.reduced(full))

    assert {one.words for one in quick.all_toolchains()} <= {one.words for one in whole.all_toolchains()}
    for of_quick, of_whole in zip(quick.matrix, whole.matrix, strict=True):
        for part in ("inputs", "messages"):
            chosen, every = (getattr(one, part) for one in (of_quick, of_whole))
            for values in ("kinds", "sizes", "lengths", "associated_data_lengths", "operations", "key_setup"):
                assert set(getattr(chosen, values, ())) <= set(getattr(every, values, ()))


class TestTinyjambuPython:
    def test_both_languages_execute_the_calls_of_table_ix(self) -> None:
        plan = read("tinyjambu-python.yaml")
        own, python = plan.matrix
        assert own.messages == python.messages
        native = Toolchain(optimization="O3")
        rows = tuple(
            implementation(f"tinyjambu-{bits}", "scalar", kind="aead", default=True) for bits in (128, 192, 256)
        )
        found = expand(plan, [agent(runners={"own": rows}, builds={native: BuildOffer(1, {"own": rows})})], {})
        assert not found.omissions
        calls_of = {
            provider: {(case.implementation.algorithm, case.input) for case in found.cases
                       if case.implementation.provider == provider}
            for provider in ("own", "python")
        }  # fmt: skip
        assert calls_of["own"] == calls_of["python"]
        assert len(found.cases) == 2 * 3 * 7 * 2 == 84
        compilers = {
            (one.implementation.provider, one.build.toolchain and one.build.toolchain.words) for one in found.cases
        }
        assert compilers == {("own", "gcc -O3"), ("python", "cpython")}


class TestVersions:
    def test_each_selected_version_is_executed_twice_and_the_others_are_omissions(self) -> None:
        plan = read("versions.yaml")
        rows = [implementation(name, "library", kind="aead", default=True) for name in plan.matrix[0].algorithms]
        runners = {name: tuple(rows) for name in plan.libraries}
        versions = {"libsodium": ("1.0.18", "1.0.20"), "botan": ("2.19.3",)}
        found = expand(plan, [agent(runners=runners, library_versions=versions)], {})
        builds = {case.build.toolchain.library.words for case in found.cases if case.build.toolchain.library}
        assert builds == {"libsodium 1.0.18", "libsodium 1.0.20", "botan 2.19.3"}
        assert len(found.cases) == 3 * 2 * 3 * 2 * 2
        (omission,) = found.omissions
        assert omission.reason.startswith("pi has no version 3.* of botan; it has 2.19.3.")


PAGE_DEGREES = {
    **dict.fromkeys(("ascon-128", "ascon-128a", "ascon-80pq"), ("full", "init-final")),
    "gift-cofb": ("full",),
    "gimli-24": ("full", "init"),
    **{f"knot-aead-{bits}": ("full", "init") for bits in ("128-256", "128-384", "192-384", "256-512")},
    "pyjamask-128-aead": ("full",),
    "pyjamask-96-aead": ("full",),
    "spix": ("full", "init-final"),
    "spoc-128": ("full",),
    "spoc-64": ("full",),
    **{f"spook-128-{size}-{users}": ("init-final",) for size in (512, 384) for users in ("su", "mu")},
    **{f"tinyjambu-{bits}-v1": ("full",) for bits in (128, 192, 256)},
    "xoodyak-round2": ("full", "init"),
}
"""Cipher → degrees of masking on the published page."""


class TestMaskedLwc:
    def test_it_has_every_row_of_the_page_and_the_unmasked_ciphers(self) -> None:
        unmasked, masked_block = read("masked-lwc.yaml").matrix
        assert set(masked_block.algorithms) == set(PAGE_DEGREES)
        assert sum(len(degrees) for degrees in PAGE_DEGREES.values()) == 32
        rows = [implementation(name, "opt64", kind="aead", default=True) for name in unmasked.algorithms]
        rows += [masked(name, "masked64", *degrees) for name, degrees in PAGE_DEGREES.items()]
        found = expand(read("masked-lwc.yaml"), [agent(runners={"own": tuple(rows)})], {})
        assert len(found.cases) == 30 * 4 + 32 * 5 * 2 * 4 == 1400
        assert not found.omissions
        forms = {(one.algorithm, one.form) for one in (case.implementation for case in found.cases) if one.form.shares}
        assert len(forms) == 32 * 5 * 2

    def test_its_calls_are_the_terms_of_the_overhead(self) -> None:
        for block in read("masked-lwc.yaml").matrix:
            assert block.messages is not None
            terms = {(term.operation, "included", term.length_bytes, 0) for term in TERMS}
            assert calls(block.messages) == terms
