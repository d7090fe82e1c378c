"""Whether the agent got slower or faster during a run, as an answer tells it."""

import math

from orchestrator.results.schemas import AgentTrend, Interval
from orchestrator.statistics.trend import FEWEST, Trend
from orchestrator.units import format_duration_ns

NS_PER_HOUR = 3.6e12
SURE = 0.01
"""Stricter than for comparisons: neighbouring readings resemble each other, so there are fewer than they seem."""
LEAST_CHANGE = 0.005
"""Over the run, where the agent has no noise floor to compare with: less is nobody's concern."""


def told(found: Trend | None, noise_floor: float | None) -> AgentTrend:
    """Return the trend with a sentence; it is real where chance and the noise floor do not explain it."""
    if found is None:
        return AgentTrend(per_hour=None, interval=None, p=None, hours=None, change=None, real=False,
                          sentence=f"Fewer than {FEWEST} readings at different times show no trend.")  # fmt: skip
    limits = found.interval
    real = (
        limits is not None
        and not limits.contains(0.0)
        and found.p <= SURE
        and abs(found.change) > (LEAST_CHANGE if noise_floor is None else noise_floor)
    )
    return AgentTrend(
        # Of a run of seconds, an hour may be more than a float holds.
        per_hour=found.per_hour if math.isfinite(found.per_hour) else None,
        interval=Interval(low=limits.low, high=limits.high) if limits and math.isfinite(limits.high) else None,
        p=found.p,
        hours=found.hours,
        change=found.change,
        real=real,
        sentence=_sentence(found) if real else "No trend over the run that chance and the noise floor do not explain.",
    )


def _sentence(found: Trend) -> str:
    """Tell it by the hour, or as a whole where the run took less than one: nobody measured an hour of it."""
    direction = "slower" if found.change > 0 else "faster"
    lasted = format_duration_ns(found.hours * NS_PER_HOUR)
    what = f"The machine got {direction} by {abs(found.change):.1%} over the run ({lasted})"
    if found.hours >= 1 and found.interval is not None:
        low, high = sorted((abs(found.interval.low), abs(found.interval.high)))
        what = (
            f"The machine got {direction} by {abs(found.per_hour):.1%} an hour (95 % interval {low:.1%} to {high:.1%})"
        )
    return f"{what}; comparisons within blocks bear with it."
