"""Summary of a stored report for one masked form of one build. Pure."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, Literal

from orchestrator.compilation.evidence.report import ControlTest, Evidence, ObjectCode, Traces
from orchestrator.shared.values.models import LazyModel
from orchestrator.shared.values.text import enumerated

STATEMENT = (
    "Evidence: models of leakage, examined on the machine of the service. It is no claim about the power consumption "
    "of a real device."
)
NO_EVIDENCE = "no evidence for this build"


class OrderEvidence(LazyModel):
    """Largest |t| of one order over all seeds, and the threshold for the number of tests."""

    order: int
    largest_t: float
    threshold: float


Method = Literal["gadgets", "t-test", "object code"]


class CheckEvidence(LazyModel):
    """Verdict of one method on a form: it passed, it failed, or it did not examine the form."""

    method: Method
    verdict: Literal["passed", "failed", "missing"]
    """A method that examined the form and missed a planted fault has failed."""
    detail: str
    """Extent of what was examined, or why the method did not examine the form."""


class FormEvidence(LazyModel):
    """Summary of the evidence for one masked form. It is evidence in a model, not about the power of a real device."""

    methods: list[CheckEvidence]
    """Gadgets, t-test and object code, in this order."""
    failed: bool
    """Whether a method failed."""
    complete: bool
    """Whether every method examined the form."""
    probe_sets: int
    """Sets of probes on the gadgets with as many shares."""
    probes_exhaustive: bool
    """All sets, or a random sample."""
    traces: int | None
    """Of all seeds; null without a t-test."""
    orders: list[OrderEvidence]
    controls: int
    """Planted faults, of the methods that examined the form."""
    controls_found: int
    object_code_instructions: int | None
    """Instructions watched; null if the object code of this build was not examined."""
    summary: str
    """Which evidence exists and which does not, in a few words."""
    sentence: str
    """The same with figures and reasons."""


@dataclass(frozen=True)
class MaskedForm:
    """One masked form of a variant."""

    algorithm: str
    variant: str
    shares: int
    degree: str


def evidence_of(evidence: Evidence, compilation: Mapping[str, Any], form: MaskedForm) -> FormEvidence:
    """Return the summary of the evidence for a form.

    compilation: how the measured runner was compiled, as its `list` prints it. Object code counts only if the watched
    program was compiled in the same way; gadgets and traces are about the sources, which are the same.
    """
    gadgets = [one for one in evidence.gadgets if one.shares == form.shares and not one.faulty]
    tested = [one for one in evidence.traces if _is(one, form)]
    controls = [one for one in evidence.controls if _concerns(one, form)]
    code, reason = _object_code(evidence, compilation, form)
    exhaustive = bool(gadgets) and all(one.exhaustive for one in gadgets)
    sets = sum(one.sets for one in gadgets)
    orders = _orders(tested)
    traces = sum(one.traces for one in tested)
    examined = (
        _Examined(
            "gadgets",
            [one.passed for one in gadgets],
            [one.passed for one in evidence.gadgets if one.faulty],
            f"{_grouped(sets)} sets of probes ({'all' if exhaustive else 'random'})",
            missing=f"no gadgets with {form.shares} shares were examined",
        ),
        _Examined(
            "t-test",
            [one.passed for one in tested] + [one.passed for one in controls if not one.faulty] * bool(tested),
            [one.passed for one in controls if one.faulty],
            f"{_grouped(traces)} traces, largest |t| by {_largest(orders)}",
            missing=_untested(evidence, form),
        ),
        _Examined(
            "object code",
            [code.passed] if code else [],
            [one.passed for one in evidence.object_code if one.control and one.control != "no fault"],
            f"{_grouped(code.instructions or 0)} instructions" if code else "",
            missing=reason,
        ),
    )
    methods = [one.evidence() for one in examined]
    faults = [passed for one in examined if one.results for passed in one.faults]
    return FormEvidence(
        methods=methods,
        failed=any(one.verdict == "failed" for one in methods),
        complete=all(one.verdict != "missing" for one in methods),
        probe_sets=sets,
        probes_exhaustive=exhaustive,
        traces=traces or None,
        orders=orders,
        controls=len(faults),
        controls_found=sum(faults),
        object_code_instructions=code.instructions if code else None,
        summary=_summary(methods),
        sentence="; ".join([*map(_stated, methods), f"{sum(faults)} of {len(faults)} planted faults found"]),
    )


@dataclass(frozen=True)
class _Examined:
    """One method: its results for the form, none if it did not examine it, and whether it found each planted fault."""

    method: Method
    results: list[bool]
    faults: list[bool]
    extent: str
    missing: str

    def evidence(self) -> CheckEvidence:
        if not self.results:
            return CheckEvidence(method=self.method, verdict="missing", detail=self.missing)
        verdict: Literal["passed", "failed"] = "passed" if all(self.results) and all(self.faults) else "failed"
        return CheckEvidence(method=self.method, verdict=verdict, detail=self.extent)


def _is(one: Traces | ObjectCode, form: MaskedForm) -> bool:
    return (one.algorithm, one.variant, one.shares, one.degree) == astuple(form)


def _concerns(control: ControlTest, form: MaskedForm) -> bool:
    """Return whether a control is about the method, or about this very variant and degree with any number of shares."""
    return control.algorithm is None or (control.algorithm, control.variant, control.degree) == (
        form.algorithm,
        form.variant,
        form.degree,
    )


def _untested(evidence: Evidence, form: MaskedForm) -> str:
    """Return why there is no t-test of a form that has none."""
    shares = {one.shares for one in evidence.traces}
    if shares and form.shares not in shares:
        return f"t-tests have {_counts(shares)} shares"
    return "no model of its words"


def _object_code(evidence: Evidence, compilation: Mapping[str, Any], form: MaskedForm) -> tuple[ObjectCode | None, str]:
    """Return the verdict on the object code, or the reason why there is none."""
    watched = [one for one in evidence.object_code if _is(one, form)]
    if not watched:
        shares = {one.shares for one in evidence.object_code if one.shares and not one.control}
        if shares and form.shares not in shares:
            return None, f"it was watched with {_counts(shares)} shares"
        return None, "it was not watched"
    if watched[0].unavailable:
        return None, watched[0].unavailable
    own = evidence.compilation.model_dump()
    if any(compilation.get(name) != value for name, value in own.items()):
        made = f"{own['compiler']} {own['compiler_version']} {own['flags']} for {own['target']}"
        return None, f"the program that was watched was compiled by {made}"
    return watched[0], ""


def _orders(tested: list[Traces]) -> list[OrderEvidence]:
    largest: dict[int, OrderEvidence] = {}
    for one in tested:
        for order in one.orders:
            known = largest.get(order.order)
            if known is None or order.largest_t / order.threshold > known.largest_t / known.threshold:
                largest[order.order] = OrderEvidence(
                    order=order.order, largest_t=order.largest_t, threshold=order.threshold
                )
    return [largest[order] for order in sorted(largest)]


def _largest(orders: list[OrderEvidence]) -> str:
    return ", ".join(f"order {one.order}: {one.largest_t:.2f} of {one.threshold:.2f}" for one in orders)


def _summary(methods: list[CheckEvidence]) -> str:
    verdicts = (("failed", "NOT PASSED: "), ("passed", "passed: "), ("missing", "no "))
    found = {verdict: [one.method for one in methods if one.verdict == verdict] for verdict, _ in verdicts}
    return "; ".join(before + ", ".join(found[verdict]) for verdict, before in verdicts if found[verdict])


def _stated(one: CheckEvidence) -> str:
    if one.verdict == "missing":
        return f"no {one.method}: {one.detail}"
    return f"{one.method} {'passed' if one.verdict == 'passed' else 'NOT PASSED'}: {one.detail}"


def _counts(shares: set[int]) -> str:
    return enumerated([str(count) for count in sorted(shares)])


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", " ")
