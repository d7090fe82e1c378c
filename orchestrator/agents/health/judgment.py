"""Judgment of a health check: healthy, degraded or quarantined. Pure.

The control workload is always the same. A machine that takes longer for it does not produce comparable results: it
throttles, its clock was reduced, or other programs run on it. Random variation does not quarantine an agent, because a
drift counts only if the whole confidence interval of the median is beyond the limit.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from orchestrator.shared.units import format_duration_ns, format_size
from orchestrator.wire.health import ControlWorkload, HealthCheckReport

BASELINE_CHECKS = 10
"""Number of steady checks that define a baseline. Later checks would hide a machine that slows down gradually."""
MOSTLY_DISTURBED = 0.5
"""Share of disturbed executions in a check above which other programs use the machine."""
_FACTS = ("device_model", "kernel", "virtual_machine", "emulated", "measured_core", "memory_bytes")
_PROCESSOR_FACTS = ("model", "architecture", "cores", "governor", "max_frequency_hz")
"""Facts that determine the speed of a machine: a change of one begins a new baseline."""

State = Literal["healthy", "degraded", "quarantined"]


@dataclass(frozen=True)
class Limits:
    """Relative differences (0.05 is 5 %) beyond which an agent is degraded or quarantined."""

    degraded_drift: float
    quarantine_drift: float


@dataclass(frozen=True)
class HealthJudgment:
    """State of an agent after a check, with reasons."""

    state: State
    reason: str
    """Every finding, the most severe first; empty for a healthy one."""
    drift: float | None
    """Control time / baseline - 1 (0.1: takes 10 % longer); None without a baseline."""
    steady: bool
    """Neither throttled, disturbed nor drifted: later checks can be compared with this one."""


def judge(check: HealthCheckReport, earlier_ns: Sequence[float], limits: Limits) -> HealthJudgment:
    """Return state, reasons and drift of one check.

    earlier_ns: median work_wall_ns, nanoseconds, of the steady checks of the same baseline, shape (n,), n >= 0; their
    median is the baseline of this check. Without earlier checks the drift is undefined.
    """
    baseline_ns = median(earlier_ns) if earlier_ns else None
    certain = _certain_drift(check.control, baseline_ns)
    severe: list[str] = []
    minor: list[str] = []
    if check.throttled:
        severe.append(f"the firmware reports {', '.join(check.throttled)}: check cooling and power supply")
    if baseline_ns is not None and abs(certain) > limits.degraded_drift:
        beyond = abs(certain) > limits.quarantine_drift
        limit = limits.quarantine_drift if beyond else limits.degraded_drift
        (severe if beyond else minor).append(_drift_reason(check.control, baseline_ns, len(earlier_ns), limit))
    if check.noise_floor is not None and check.noise_floor > limits.degraded_drift:
        minor.append(f"the noise floor is {check.noise_floor:.1%}, the limit is {limits.degraded_drift:.0%}")
    if is_disturbed(check):
        minor.append(f"{check.disturbed_share:.0%} of the executions were disturbed: other programs use the machine")
    state: State = "quarantined" if severe else "degraded" if minor else "healthy"
    return HealthJudgment(
        state=state,
        reason="; ".join(severe + minor),
        drift=None if baseline_ns is None else check.control.median_work_wall_ns / baseline_ns - 1,
        steady=not check.throttled and not is_disturbed(check) and abs(certain) <= limits.degraded_drift,
    )


def is_disturbed(check: HealthCheckReport) -> bool:
    """Return whether other programs used the machine, so that the check is no reference for others."""
    return check.disturbed_share > MOSTLY_DISTURBED


def baseline_key(build_key: str, control: ControlWorkload, inventory: Mapping[str, Any]) -> str:
    """Return the key that comparable checks share: same build, workload, machine and kernel.

    inventory: facts of the agent as JSON; a change of kernel, governor or measured core, for example, changes the key.
    """
    processor = inventory.get("processor") or {}
    facts = [
        build_key,
        [control.provider, control.algorithm, control.variant, control.input_bytes],
        [inventory.get(name) for name in _FACTS],
        [processor.get(name) for name in _PROCESSOR_FACTS],
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


def _certain_drift(control: ControlWorkload, baseline_ns: float | None) -> float:
    """Return the drift at the limit of the interval that is nearer to the baseline; 0 if the interval contains it."""
    low, high = control.low_work_wall_ns, control.high_work_wall_ns
    if baseline_ns is None or low is None or high is None:
        return 0.0
    if low > baseline_ns:
        return low / baseline_ns - 1
    return min(high / baseline_ns - 1, 0.0)


def _drift_reason(control: ControlWorkload, baseline_ns: float, checks: int, limit: float) -> str:
    drift = control.median_work_wall_ns / baseline_ns - 1
    direction = "longer" if drift > 0 else "less time"
    before = "its earlier check" if checks == 1 else f"the median of {checks} earlier checks"
    return (
        f"the control workload ({control.algorithm} by {control.provider}, {format_size(control.input_bytes)}) takes "
        f"{abs(drift):.0%} {direction} than in {before}: {format_duration_ns(control.median_work_wall_ns)} instead of "
        f"{format_duration_ns(baseline_ns)}, the limit is {limit:.0%} (to accept this speed: "
        "ciphermark agents check NAME --accept)"
    )
