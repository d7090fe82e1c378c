"""Forms of masked variants in listings, jobs and labels: all three parameters or none, and only values that exist."""

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.shared.values.forms import UNMASKED, Form, variant_label
from orchestrator.wire.jobs import JobCase
from orchestrator.wire.runners import ListReport
from tests.unit.wire.test_jobs import LATENCY, PROCESS

CASE: TypeAdapter[JobCase] = TypeAdapter(JobCase)
FORM = {"shares": 3, "masking": "init-final", "generator": "aes-ctr"}
ROW: dict[str, Any] = {"algorithm": "ascon-128", "variant": "masked64", "available": True}
LISTING: dict[str, Any] = {
    "protocol": 2, "provider": "own", "version": "1", "build": {},
    "implementations": [ROW | {"masking": {"shares": [2, 3], "degrees": ["full", "init-final"]}}],
    "generators": [{"name": "aes-ctr", "secure": True, "available": False, "reason": "the processor lacks aes"}],
}  # fmt: skip


@pytest.mark.parametrize("case", [PROCESS, LATENCY])
def test_job_case_has_a_whole_form_or_none(case: dict[str, Any]) -> None:
    masked = CASE.validate_python(case | FORM | {"variant": "masked-avx512"})
    assert masked.form == Form(3, "init-final", "aes-ctr")
    assert CASE.validate_python(case).form == UNMASKED
    for name in FORM:
        with pytest.raises(ValidationError, match="expected all three or none"):
            CASE.validate_python(case | FORM | {name: None})


@pytest.mark.parametrize(
    "change",
    [{"shares": 1}, {"shares": 7}, {"masking": "half"}, {"generator": "--out"}, {"generator": "a" * 17},
     {"variant": "-masked"}, {"variant": "masked-"}],
)  # fmt: skip
def test_job_case_with_an_impossible_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CASE.validate_python(LATENCY | FORM | change)


def test_form_has_the_options_of_a_runner_and_a_label() -> None:
    form = Form(3, "full", "chacha20")
    assert form.options == ("--shares", "3", "--masking", "full", "--generator", "chacha20")
    assert form.label("masked64") == "masked64 · 3 shares · full · chacha20"
    assert UNMASKED.options == ()
    row = SimpleNamespace(variant="opt64", shares=None, masking=None, generator=None)
    assert variant_label(row) == "opt64"
    assert Form.of(row).fields == {"shares": None, "masking": None, "generator": None}
    assert sorted([form, UNMASKED, Form(2, "full", "free")]) == [UNMASKED, Form(2, "full", "free"), form]


def test_listing_without_masking_has_unmasked_implementations() -> None:
    older = {name: value for name, value in LISTING.items() if name != "generators"} | {"implementations": [ROW]}
    listing = ListReport.model_validate(older)
    assert listing.implementations[0].masking is None
    assert listing.generators == []


def test_listing_has_forms_and_generators() -> None:
    listing = ListReport.model_validate(LISTING)
    forms = listing.implementations[0].masking
    assert forms is not None
    assert (forms.shares, forms.degrees) == ([2, 3], ["full", "init-final"])
    assert [(one.name, one.available, one.reason) for one in listing.generators] == [
        ("aes-ctr", False, "the processor lacks aes")
    ]
