"""The plans that come with Ciphermark are valid and as large as their comments say."""

from pathlib import Path

import pytest
import yaml

from orchestrator.units import KIB, MIB
from orchestrator.wire.plans import Plan

FOLDER = Path(__file__).parents[2] / "plans"


def read(name: str) -> Plan:
    return Plan.model_validate(yaml.safe_load((FOLDER / name).read_text(encoding="utf-8")))


def combinations(plan: Plan) -> int:
    return sum(
        len(block.providers) * len(block.algorithms) * len(block.inputs.kinds) * len(block.inputs.sizes)
        for block in plan.matrix
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.name)
class TestEveryPlan:
    def test_it_is_valid_and_bears_the_name_of_its_file(self, path: Path) -> None:
        assert read(path.name).name == path.stem

    def test_it_repeats_often_enough_for_an_interval(self, path: Path) -> None:
        assert read(path.name).repetitions >= 6

    def test_it_names_algorithms_without_patterns(self, path: Path) -> None:
        # A pattern would grow with the next cipher, and the durations in the comments would no longer be true.
        named = [name for block in read(path.name).matrix for name in block.algorithms]
        assert not [name for name in named if set(name) & set("*?[")]


class TestEvalme2021:
    def test_it_is_the_whole_paper(self) -> None:
        plan = read("evalme-2021.yaml")
        assert combinations(plan) * plan.repetitions == 2 * 12 * 4 * 6 * 20 == 11_520
        assert plan.matrix[0].inputs.sizes == [128 * KIB, 256 * KIB, 512 * KIB, 1 * MIB, 4 * MIB, 8 * MIB]


@pytest.mark.parametrize(("name", "executions"), [("demo.yaml", 864), ("quick.yaml", 1854)])
def test_short_plans_compare_three_providers(name: str, executions: int) -> None:
    plan = read(name)
    first = plan.matrix[0]
    assert (len(first.providers), len(first.inputs.kinds), len(first.inputs.sizes)) == (3, 4, 2)
    assert len(first.algorithms) >= 6
    assert combinations(plan) * plan.repetitions == executions
