"""The included plans are valid and have the size that their comments state."""

import re
from itertools import product
from pathlib import Path

import pytest

from orchestrator.papers.paper import FurtherPlan
from orchestrator.papers.registry import papers
from orchestrator.runs.planning.plan import parse_text, validate
from orchestrator.runs.planning.planner import expand
from orchestrator.shared.units import KIB
from orchestrator.wire.plans import Matrix, Messages, Plan
from tests.support.paths import REPOSITORY
from tests.support.plans import agent, implementation

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


class TestFurtherPlans:
    @pytest.mark.parametrize(
        ("paper", "plan"),
        [(one.name, plan) for one in papers().values() for plan in one.further_plans],
        ids=lambda one: getattr(one, "name", one),
    )
    def test_header_names_the_question_and_the_duration_and_the_report(self, paper: str, plan: FurtherPlan) -> None:
        text = (FOLDER / f"{plan.name}.yaml").read_text(encoding="utf-8")
        header = " ".join(line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#"))
        assert "Answers: " in header
        assert "minute" in header
        assert f"ciphermark submit plans/{plan.name}.yaml" in header
        assert f"ciphermark papers report {paper} latest" in header

    def test_every_plan_named_after_a_paper_is_listed_by_it(self) -> None:
        listed = {plan.name for one in papers().values() for plan in one.further_plans}
        files = {path.stem for path in FOLDER.glob("*.yaml")}
        assert {name for name in files if any(name.startswith(f"{paper}-") for paper in papers())} <= listed


class TestTinyjambuCompilers:
    def test_it_is_the_whole_paper(self) -> None:
        own, binding = read("tinyjambu-compilers.yaml").matrix
        assert own.messages is not None
        assert own.messages == binding.messages
        assert own.messages.lengths == [2**power for power in range(6, 13)]
        assert own.messages.associated_data_lengths == [32]


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


@pytest.mark.parametrize(
    ("name", "cases"), [("lightweight-pi.yaml", 160), ("lwc-aead.yaml", 208), ("precise.yaml", 16)]
)
def test_plan_has_as_many_cases_as_its_comment_states(name: str, cases: int) -> None:
    plan = read(name)
    assert combinations(plan) * plan.matrix[0].copies == cases


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
