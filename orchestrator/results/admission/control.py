"""Times of records that the agent's own control workload contradicts: no health check showed such a speed. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.service.trust.kinds import Finding
from orchestrator.shared.units import format_duration_ns, format_size

MIN_CHECKS = 3
"""Health checks that must agree: other programs can slow down all executions of one."""
MARGIN = 1.25
"""Ratio between the fastest check and a case that needs no explanation. Simulated with the noise of stored runs, with
three checks: 0.8 % of honest cases are named where times vary by 36 %, and 0.13 % or less elsewhere."""


@dataclass(frozen=True)
class ControlTimes:
    """The control workload of a build in the health checks of its agent."""

    input_bytes: int
    low_work_wall_ns: Sequence[float]
    """Lower limits of the intervals of the medians, one for each check without throttling."""
    noop_work_wall_ns: float = 0.0
    """Part of the work that is no cipher: start, buffers and input of the same length; 0 if it was not measured."""


@dataclass(frozen=True)
class ControlCase:
    """A case of the control workload's implementation, with all its executions."""

    case_id: int
    algorithm: str
    provider: str
    message_bytes: int
    high_work_wall_ns: float
    """Upper limit of the interval of the median."""


def min_work_ns(control: ControlTimes, message_bytes: int) -> float | None:
    """Return the shortest plausible work of the control's implementation on an input; None with too few checks.

    The cipher takes at least as long for a byte of a longer input, whose chunks leave the caches, and what is no cipher
    takes at least as long; of a shorter input only the share of the cipher is certain.
    """
    if len(control.low_work_wall_ns) < MIN_CHECKS:
        return None
    fastest = min(control.low_work_wall_ns)
    rest = min(control.noop_work_wall_ns, fastest)
    share = message_bytes / control.input_bytes
    return ((fastest - rest) * share + (rest if share >= 1 else 0.0)) / MARGIN


def contradiction(case: ControlCase, control: ControlTimes) -> Finding | None:
    """Return what a case contradicts; an honest agent can have it, after its machine became faster."""
    expected_ns = min_work_ns(control, case.message_bytes)
    if expected_ns is None or case.high_work_wall_ns >= expected_ns:
        return None
    fastest = format_duration_ns(min(control.low_work_wall_ns))
    detail = (
        f"case {case.case_id} ({case.algorithm} by {case.provider}, {format_size(case.message_bytes)}) takes at most "
        f"{format_duration_ns(case.high_work_wall_ns)}, expected {format_duration_ns(expected_ns)} or more: of "
        f"{len(control.low_work_wall_ns)} health checks, the fastest took {fastest} for "
        f"{format_size(control.input_bytes)}."
    )
    evidence = {"case_id": case.case_id, "high_work_wall_ns": case.high_work_wall_ns, "expected_ns": expected_ns}
    return Finding("faster-than-control", detail, evidence, proven=False)
