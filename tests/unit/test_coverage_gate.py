"""The coverage gate reads a report of coverage.py and names every bound that is not kept."""

from typing import Any

import pytest

from scripts.coverage_gate import problems, read_report


def report(*files: tuple[str, int], branches: int = 90) -> dict[str, Any]:
    """Return a report of files of 100 lines each, of which so many are executed, and of 100 branches in all."""
    lines = {name: {"summary": {"covered_lines": executed, "num_statements": 100}} for name, executed in files}
    totals = {
        "covered_lines": sum(executed for _, executed in files),
        "num_statements": 100 * len(files),
        "covered_branches": branches,
        "num_branches": 100,
    }
    return {"totals": totals, "files": lines}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (report(("a.py", 95)), "95.0 % (95 of 100) of the lines; at least 96 %"),
        (report(("a.py", 100), branches=89), "89.0 % (89 of 100) of the branches; at least 90 %"),
        (report(*((f"{n}.py", 100) for n in range(9)), ("low.py", 69)), "low.py: the tests execute 69.0 %"),
    ],
)
def test_a_share_below_its_bound_is_named_with_its_figures(document: dict[str, Any], expected: str) -> None:
    (problem,) = problems(read_report(document), {})

    assert expected in problem


class TestExcuses:
    FILES = (*((f"{number}.py", 100) for number in range(9)), ("low.py", 69))

    def test_an_excused_file_may_be_below_its_bound(self) -> None:
        assert problems(read_report(report(*self.FILES)), {"low.py": "needs a Raspberry Pi"}) == []

    @pytest.mark.parametrize(
        ("name", "expected"), [("1.py", "needs no excuse any more"), ("gone.py", "is not in the report")]
    )
    def test_an_excuse_that_is_not_needed_closes_the_gate(self, name: str, expected: str) -> None:
        (problem,) = problems(read_report(report(*self.FILES)), {"low.py": "needs a Raspberry Pi", name: "old"})

        assert problem.startswith(name)
        assert expected in problem
