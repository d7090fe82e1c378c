"""Summary of a stored report for one masked form of one build. Pure."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from pydantic import BaseModel

from orchestrator.evidence.report import Evidence, ObjectCode, Traces

STATEMENT = (
    "Evidence: models of leakage, examined on the machine of the service. It is no claim about the power consumption "
    "of a real device."
)
NO_EVIDENCE = "no evidence for this build"


class OrderEvidence(BaseModel):
    """Largest |t| of one order over all seeds, and the threshold for the number of tests."""

    order: int
    largest_t: float
    threshold: float


class FormEvidence(BaseModel):
    """Summary of the evidence for one masked form. It is evidence in a model, not about the power of a real device."""

    passed: bool
    """Everything that was examined passed, and each planted fault was found."""
    probe_sets: int
    """Sets of probes on the gadgets with as many shares."""
    probes_exhaustive: bool
    """All sets, or a random sample."""
    traces: int | None
    """Of all seeds; null if the model of leakage has no words like those of this variant."""
    orders: list[OrderEvidence]
    controls: int
    """Planted faults, of all methods."""
    controls_found: int
    object_code_instructions: int | None
    """Instructions watched; null if the object code of this build was not examined."""
    object_code_reason: str
    """Why it was not."""
    sentence: str


@dataclass(frozen=True)
class ExaminedForm:
    """One masked form of a variant."""

    algorithm: str
    variant: str
    shares: int
    degree: str


def evidence_of(evidence: Evidence, compilation: Mapping[str, Any], form: ExaminedForm) -> FormEvidence:
    """Return the summary of the evidence for a form.

    compilation: how the measured runner was compiled, as its `list` prints it. Object code counts only if the watched
    program was compiled in the same way; gadgets and traces are about the sources, which are the same.
    """
    gadgets = [one for one in evidence.gadgets if one.shares == form.shares and not one.faulty]
    tested = [one for one in evidence.traces if _is(one, form)]
    watched = [one for one in evidence.object_code if _is(one, form)]
    code, reason = _object_code(evidence, compilation, watched)
    faults = [one.passed for one in evidence.gadgets if one.faulty]
    faults += [one.passed for one in evidence.controls if one.faulty]
    faults += [one.passed for one in evidence.object_code if one.control and one.control != "no fault"]
    clean = [one.passed for one in evidence.controls if not one.faulty]
    results = [*(one.passed for one in gadgets), *(one.passed for one in tested), *([code.passed] if code else [])]
    found = FormEvidence(
        passed=bool(gadgets) and all(results) and all(faults) and all(clean),
        probe_sets=sum(one.sets for one in gadgets),
        probes_exhaustive=bool(gadgets) and all(one.exhaustive for one in gadgets),
        traces=sum(one.traces for one in tested) or None,
        orders=_orders(tested),
        controls=len(faults),
        controls_found=sum(faults),
        object_code_instructions=code.instructions if code else None,
        object_code_reason=reason,
        sentence="",
    )
    return found.model_copy(update={"sentence": _sentence(found)})


def _is(one: Traces | ObjectCode, form: ExaminedForm) -> bool:
    return (one.algorithm, one.variant, one.shares, one.degree) == astuple(form)


def _object_code(
    evidence: Evidence, compilation: Mapping[str, Any], watched: list[ObjectCode]
) -> tuple[ObjectCode | None, str]:
    """Return the verdict on the object code, or the reason why there is none."""
    if not watched:
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


def _sentence(found: FormEvidence) -> str:
    parts = [f"gadgets: {_grouped(found.probe_sets)} sets of probes ({'all' if found.probes_exhaustive else 'random'})"]
    if found.traces is None:
        parts.append("no t-test of this variant")
    else:
        largest = ", ".join(f"order {one.order}: {one.largest_t:.2f} of {one.threshold:.2f}" for one in found.orders)
        parts.append(f"{_grouped(found.traces)} traces, largest |t| by {largest}")
    parts.append(f"{found.controls_found} of {found.controls} planted faults found")
    if found.object_code_instructions is None:
        parts.append(f"object code not examined: {found.object_code_reason}")
    else:
        parts.append(f"object code: {_grouped(found.object_code_instructions)} instructions")
    return ("passed: " if found.passed else "NOT PASSED: ") + "; ".join(parts)


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", " ")
