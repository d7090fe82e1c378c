"""Stored evidence for one form: bound to sources and compiler, and never better than what was examined."""

from typing import Any

import pytest

from orchestrator.compilation.evidence.forms import FormEvidence, MaskedForm, evidence_of
from tests.support.masking_evidence import COMPILATION, control, evidence, gadget, object_code, traces

FORM = MaskedForm("ascon-128", "masked64", 4, "full")


def judged(form: MaskedForm = FORM, **replaced: Any) -> FormEvidence:
    return evidence_of(evidence(**replaced), COMPILATION, form)


def verdicts(found: FormEvidence) -> dict[str, str]:
    return {one.method: one.verdict for one in found.methods}


def test_everything_that_was_examined_is_stated() -> None:
    found = judged()
    assert (found.failed, found.complete) == (False, True)
    assert set(verdicts(found).values()) == {"passed"}
    assert (found.probe_sets, found.probes_exhaustive) == (79157, True)
    assert found.traces == 200_000
    assert [(one.order, one.largest_t, one.threshold) for one in found.orders] == [(1, 4.5, 6.0)]
    assert (found.controls, found.controls_found) == (2, 2)
    assert found.object_code_instructions == 10705
    assert found.summary == "passed: gadgets, t-test, object code"
    assert found.sentence == (
        "gadgets passed: 79 157 sets of probes (all); "
        "t-test passed: 200 000 traces, largest |t| by order 1: 4.50 of 6.00; "
        "object code passed: 10 705 instructions; 2 of 2 planted faults found"
    )


@pytest.mark.parametrize(
    ("method", "replaced"),
    [
        ("gadgets", {"gadgets": [gadget(passed=False)]}),
        ("gadgets", {"gadgets": [gadget(), gadget(faulty=True, passed=False)]}),
        ("t-test", {"traces": [traces(1, 4.0), traces(2, 9.0)]}),
        ("t-test", {"controls": [control(found=False)]}),
        ("t-test", {"controls": [control(faulty=False, found=True)]}),
        ("object code", {"object_code": [object_code(passed=False)]}),
        ("object code", {"object_code": [object_code(), object_code(control="recombined", passed=False)]}),
    ],
)
def test_one_result_that_has_not_passed_is_enough(method: str, replaced: dict[str, Any]) -> None:
    found = judged(**replaced)
    assert found.failed
    assert [name for name, verdict in verdicts(found).items() if verdict == "failed"] == [method]
    assert found.summary.startswith(f"NOT PASSED: {method}; passed: ")
    assert f"{method} NOT PASSED: " in found.sentence


def test_fault_in_a_cipher_is_a_control_of_its_forms_alone() -> None:
    own = {"algorithm": "ascon-128", "variant": "masked64", "degree": "full"}
    shared = [control(), control(faulty=False, found=False)]
    found = judged(controls=[*shared, control(**own), control(found=False, **{**own, "algorithm": "spix"})])
    assert (found.failed, found.controls, found.controls_found) == (False, 3, 3)
    missed = judged(controls=[*shared, control(found=False, **own)])
    assert (missed.failed, missed.controls, missed.controls_found) == (True, 3, 2)


def test_form_that_no_method_examined_has_not_passed() -> None:
    found = judged(gadgets=[], traces=[], object_code=[])
    assert found.summary == "no gadgets, t-test, object code"
    assert (found.complete, found.controls) == (False, 0)
    assert "no gadgets: no gadgets with 4 shares were examined; no t-test: no model of its words" in found.sentence


def test_traces_of_another_form_do_not_count() -> None:
    for form in (
        MaskedForm("ascon-128", "masked-avx512", 4, "full"),
        MaskedForm("ascon-128", "masked64", 4, "init-final"),
        MaskedForm("gift-cofb", "masked64", 4, "full"),
    ):
        found = judged(form)
        assert (found.traces, found.complete, found.failed) == (None, False, False)
        assert found.summary == "passed: gadgets; no t-test, object code"
        assert "no t-test: no model of its words; no object code: it was not watched" in found.sentence


def test_number_of_shares_that_was_not_examined_is_the_reason() -> None:
    found = judged(
        MaskedForm("ascon-128", "masked64", 5, "full"),
        gadgets=[gadget(shares=5)],
        traces=[traces(1, 4.0), {**traces(1, 4.0), "shares": 2}],
    )
    assert found.summary == "passed: gadgets; no t-test, object code"
    assert "no t-test: t-tests have 2 and 4 shares; no object code: it was watched with 4 shares" in found.sentence


def test_object_code_of_another_compiler_does_not_count() -> None:
    found = evidence_of(evidence(), {**COMPILATION, "flags": "-O3"}, FORM)
    assert found.summary == "passed: gadgets, t-test; no object code"
    assert found.object_code_instructions is None
    assert (
        "no object code: the program that was watched was compiled by GNU 12.2.0 -O2 for x86_64-linux-gnu"
        in found.sentence
    )


def test_object_code_that_could_not_be_watched_has_its_reason() -> None:
    reason = "this process may not trace its children with ptrace"
    found = judged(object_code=[object_code(instructions=None, unavailable=reason, passed=False)])
    assert (found.object_code_instructions, found.failed) == (None, False)
    assert found.methods[2].detail == reason
