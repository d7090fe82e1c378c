"""Stored evidence for one form: bound to sources and compiler, and never better than what was examined."""

from typing import Any

import pytest

from orchestrator.evidence.forms import ExaminedForm, FormEvidence, evidence_of
from tests.support.masking_evidence import COMPILATION, control, evidence, gadget, object_code, traces

FORM = ExaminedForm("ascon-128", "masked64", 4, "full")


def judged(form: ExaminedForm = FORM, **replaced: Any) -> FormEvidence:
    return evidence_of(evidence(**replaced), COMPILATION, form)


def test_everything_that_was_examined_is_stated() -> None:
    found = judged()
    assert found.passed
    assert (found.probe_sets, found.probes_exhaustive) == (79157, True)
    assert found.traces == 200_000
    assert [(one.order, one.largest_t, one.threshold) for one in found.orders] == [(1, 4.5, 6.0)]
    assert (found.controls, found.controls_found) == (2, 2)
    assert (found.object_code_instructions, found.object_code_reason) == (10705, "")
    assert found.sentence == (
        "passed: gadgets: 79 157 sets of probes (all); 200 000 traces, largest |t| by order 1: 4.50 of 6.00; "
        "2 of 2 planted faults found; object code: 10 705 instructions"
    )


@pytest.mark.parametrize(
    "replaced",
    [
        {"gadgets": [gadget(passed=False)]},
        {"gadgets": [gadget(), gadget(faulty=True, passed=False)]},
        {"gadgets": []},
        {"traces": [traces(1, 4.0), traces(2, 9.0)]},
        {"controls": [control(found=False)]},
        {"controls": [control(faulty=False, found=True)]},
        {"object_code": [object_code(passed=False)]},
    ],
)
def test_one_result_that_has_not_passed_is_enough(replaced: dict[str, Any]) -> None:
    found = judged(**replaced)
    assert not found.passed
    assert found.sentence.startswith("NOT PASSED: ")


def test_traces_of_another_form_do_not_count() -> None:
    for form in (
        ExaminedForm("ascon-128", "masked-avx512", 4, "full"),
        ExaminedForm("ascon-128", "masked64", 4, "init-final"),
        ExaminedForm("gift-cofb", "masked64", 4, "full"),
    ):
        found = judged(form)
        assert found.traces is None
        assert "no t-test of this variant" in found.sentence


def test_object_code_of_another_compiler_does_not_count() -> None:
    found = evidence_of(evidence(), {**COMPILATION, "flags": "-O3"}, FORM)
    assert found.passed
    assert found.object_code_instructions is None
    assert (
        found.object_code_reason == "the program that was watched was compiled by GNU 12.2.0 -O2 for x86_64-linux-gnu"
    )


def test_object_code_that_could_not_be_watched_has_its_reason() -> None:
    reason = "this process may not trace its children with ptrace"
    found = judged(object_code=[object_code(instructions=None, unavailable=reason, passed=False)])
    assert (found.object_code_instructions, found.object_code_reason) == (None, reason)
