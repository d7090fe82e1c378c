"""How far an agent can be trusted, judged from one health check and the speed it had before. Pure.

The control workload is the same each time, so a machine that takes longer for it is no longer the machine that the
earlier results are of: it throttles, it was clocked down, something else lives on it now. What is random cannot take an
agent out of service: a drift counts only where the whole interval of the median lies beyond the limit.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from orchestrator.units import format_duration_ns, format_size
from orchestrator.wire.health import ControlWorkload, HealthCheckReport

BASELINE_CHECKS = 10
"""The first steady ones of a baseline: later ones would follow a machine that fades a little with each check."""
MOSTLY_DISTURBED = 0.5
"""Of the executions of a check; beyond it the machine has other work than ours."""
_FACTS = ("device_model", "kernel", "virtual_machine", "emulated", "measured_core", "memory_bytes")
_PROCESSOR_FACTS = ("model", "architecture", "cores", "governor", "max_frequency_hz")
"""What decides how fast a machine is: where one of them changes, there is nothing to compare with."""

State = Literal["healthy", "degraded", "quarantined"]


@dataclass(frozen=True)
class Limits:
    """Relative differences (0.05 is 5 %) beyond which an agent is degraded or quarantined."""

    degraded_drift: float
    quarantine_drift: float


@dataclass(frozen=True)
class HealthJudgment:
    """What a check amounts to."""

    state: State
    reason: str
    """Every finding, the gravest first; empty for a healthy one."""
    drift: float | None
    """Control time / baseline - 1 (0.1: takes 10 % longer); None without a baseline."""
    steady: bool
    """Not throttled and not off: later checks may be held against this one."""


def judge(check: HealthCheckReport, earlier_ns: Sequence[float], limits: Limits) -> HealthJudgment:
    """Return state, reasons and drift of one check.

    earlier_ns: median work_wall_ns, nanoseconds, of the steady checks of the same baseline, shape (n,), n >= 0; their
    median is what this check is held against. Without any there is no drift to see.
    """
    baseline_ns = median(earlier_ns) if earlier_ns else None
    certain = _certain_drift(check.control, baseline_ns)
    grave: list[str] = []
    slight: list[str] = []
    if check.throttled:
        grave.append(f"the firmware says {', '.join(check.throttled)} now: look at cooling and power supply")
    if baseline_ns is not None and abs(certain) > limits.degraded_drift:
        too_far = abs(certain) > limits.quarantine_drift
        limit = limits.quarantine_drift if too_far else limits.degraded_drift
        (grave if too_far else slight).append(_drift_words(check.control, baseline_ns, len(earlier_ns), limit))
    if check.noise_floor is not None and check.noise_floor > limits.degraded_drift:
        slight.append(f"the noise floor is {check.noise_floor:.1%}, allowed are {limits.degraded_drift:.0%}")
    if check.disturbed_share > MOSTLY_DISTURBED:
        slight.append(f"{check.disturbed_share:.0%} of the executions were disturbed: other work shares the machine")
    state: State = "quarantined" if grave else "degraded" if slight else "healthy"
    return HealthJudgment(
        state=state,
        reason="; ".join(grave + slight),
        drift=None if baseline_ns is None else check.control.median_work_wall_ns / baseline_ns - 1,
        steady=not check.throttled and abs(certain) <= limits.degraded_drift,
    )


def baseline_key(build_key: str, control: ControlWorkload, inventory: Mapping[str, Any]) -> str:
    """Return what names the checks that may be compared: same build, same workload, same machine and kernel.

    inventory: the facts of the agent as JSON; a changed one (kernel, governor, measured core …) begins a new baseline.
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
    """Return the drift that the interval leaves no doubt of: its nearer limit; 0 where it holds the baseline."""
    low, high = control.low_work_wall_ns, control.high_work_wall_ns
    if baseline_ns is None or low is None or high is None:
        return 0.0
    if low > baseline_ns:
        return low / baseline_ns - 1
    return min(high / baseline_ns - 1, 0.0)


def _drift_words(control: ControlWorkload, baseline_ns: float, checks: int, limit: float) -> str:
    drift = control.median_work_wall_ns / baseline_ns - 1
    direction = "longer" if drift > 0 else "less time"
    before = "its earlier check" if checks == 1 else f"the median of {checks} earlier checks"
    return (
        f"the control workload ({control.algorithm} by {control.provider}, {format_size(control.input_bytes)}) takes "
        f"{abs(drift):.0%} {direction} than in {before}: {format_duration_ns(control.median_work_wall_ns)} instead of "
        f"{format_duration_ns(baseline_ns)}, allowed are {limit:.0%} (if that is its new normal: "
        "ciphermark agents check NAME --accept)"
    )
