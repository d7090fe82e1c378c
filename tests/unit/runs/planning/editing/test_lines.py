"""Errors of a plan that was sent as a text have the line of their field."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs.planning.editing.lines import MAX_SEARCHED_CHARACTERS, with_lines
from orchestrator.runs.planning.plan import read_plan
from orchestrator.service.problems import describe
from orchestrator.shared.errors import InvalidRequest, PlanRefused

TEXT = """\
# A comment.
version: 1
name: a
repetitions: 3
matrix:
  - providers: [own]
    algorithms:
      - aes-128-ctr
      - aes-256-ctr
    inputs: {kinds: [text, song],
             sizes: [1 KiB, -1]}
"""


def refused(text: str) -> dict[str, Any]:
    with pytest.raises(InvalidRequest) as refusal, with_lines(text):
        read_plan(None, text)
    return describe(refusal.value, "/").model_dump()


def located(text: str, field: str, **facts: object) -> object:
    with pytest.raises(InvalidRequest) as refusal, with_lines(text):
        raise PlanRefused("no", field=field, **facts)
    return refusal.value.facts.get("line")


def test_each_error_has_the_line_of_its_field() -> None:
    problem = refused(TEXT)
    found = [(one["field"], one["line"]) for one in problem["errors"]]
    assert found == [("matrix[0].inputs.kinds[1]", 10), ("matrix[0].inputs.sizes[1]", 11)]
    assert problem["facts"] == {"line": 10}


def test_missing_key_has_the_line_of_its_mapping() -> None:
    found = refused(TEXT.replace("  - providers: [own]\n    algorithms", "  - algorithms").replace("song", "video"))
    assert (found["errors"][0]["field"], found["errors"][0]["line"]) == ("matrix[0].providers", 6)
    assert refused("name: a\n")["errors"][0]["line"] == 1


@pytest.mark.parametrize(
    ("field", "line"),
    [("matrix[0].algorithms[1]", 9), ("matrix[0].algorithms", 7), ("matrix[7].algorithms", 5), ("nowhere", 2), ("", 2)],
)
def test_line_is_that_of_the_deepest_part_of_the_path_that_exists(field: str, line: int) -> None:
    assert located(TEXT, field) == line


def test_text_in_json_has_lines_too() -> None:
    text = json.dumps({"version": 1, "name": "a", "repetitions": "three", "matrix": []}, indent=2)
    assert [one["line"] for one in refused(text)["errors"]] == [4, 5]


@pytest.mark.parametrize(("text", "line"), [("a: [", 2), ("a: 1\na: 2", 2), ("a: &x 1", 1), ("a: 1\nb: !!int 2", 2)])
def test_text_that_is_not_yaml_has_the_line_of_its_fault(text: str, line: int) -> None:
    assert refused(text)["facts"] == {"line": line}


def test_plan_without_a_text_and_a_long_one_have_no_lines() -> None:
    with pytest.raises(PlanRefused) as refusal, with_lines(None):
        raise PlanRefused("no", field="name")
    assert "line" not in refusal.value.facts
    assert located(f"name: a\n#{'x' * MAX_SEARCHED_CHARACTERS}", "name") is None


@given(st.text(max_size=60), st.text("matrix[]019.", max_size=20))
def test_any_text_and_path_give_a_line_or_none(text: str, field: str) -> None:
    line = located(text, field)
    assert line is None or (isinstance(line, int) and 1 <= line <= text.count("\n") + text.count("\r") + 9)
