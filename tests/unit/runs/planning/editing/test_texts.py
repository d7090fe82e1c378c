"""Texts of plans: those of the installation, stored documents, and answers to the usual questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs.planning.editing.questions import CERTAINTIES, PURPOSES, Certainty, Purpose, Questions
from orchestrator.runs.planning.editing.texts import get_shipped_plan, list_shipped_plans, plan_text
from orchestrator.runs.planning.plan import parse_text, read_plan
from orchestrator.shared.errors import NotFound


@pytest.mark.parametrize("plan", list_shipped_plans(), ids=lambda plan: plan.name)
def test_written_document_is_read_as_the_same(plan: object) -> None:
    document = parse_text(plan.text)  # type: ignore[attr-defined]
    assert parse_text(plan_text(document)) == document


def test_unknown_plan_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(NotFound, match="no plan 'quik'") as refusal:
        get_shipped_plan("quik")
    assert "quick" in refusal.value.remedy


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("certainty", CERTAINTIES)
def test_plan_of_unanswered_questions_is_valid(purpose: Purpose, certainty: Certainty) -> None:
    plan = read_plan(None, plan_text(Questions(purpose, certainty).document())).plan
    assert plan.matrix[0].protocol == {"long": "process", "short": "latency", "size": "latency"}[purpose]
    assert plan.matrix[0].variants == (["*"] if purpose == "size" else ["default"])
    assert (plan.precision is not None) == (certainty == "precise")


def test_plan_has_the_answers() -> None:
    answers = Questions(
        purpose="short",
        algorithms=["aes-128-gcm"],
        providers=["openssl"],
        agents=["pi4"],
        label="kitchen",
        lengths="16, 1 KiB,",
        compilers=["gcc", "clang"],
        optimizations=["Os"],
    )
    plan = read_plan(None, plan_text(answers.document())).plan
    assert plan.requires is not None
    assert (plan.agents, plan.requires.labels) == (["pi4"], ["kitchen"])
    assert [one.compiler for one in plan.all_toolchains()] == ["gcc", "clang"]
    messages = plan.matrix[0].messages
    assert messages is not None
    assert (plan.matrix[0].algorithms, messages.lengths) == (["aes-128-gcm"], [16, 1024])


# Only printable texts arrive: the page refuses control characters in a query.
@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), max_size=40))
def test_any_text_of_lengths_writes_a_document_that_is_read_again(lengths: str) -> None:
    document = Questions(lengths=lengths).document()
    assert parse_text(plan_text(document)) == document
