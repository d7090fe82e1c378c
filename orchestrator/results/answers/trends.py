"""Trend of an agent's times during a run, with its summary sentence."""

import math

from orchestrator.results.schemas import AgentTrend, Interval
from orchestrator.shared.units import format_duration_ns
from orchestrator.statistics.trend import MIN_READINGS, Trend

NS_PER_HOUR = 3.6e12
SURE = 0.01
"""Significance level; stricter than for comparisons because successive readings are correlated."""
MIN_CHANGE = 0.005
"""Smallest relevant change over the run for an agent without a noise floor."""


def agent_trend(found: Trend | None, noise_floor: float | None) -> AgentTrend:
    """Return the trend with a sentence; it is real if it is significant and above the noise floor."""
    if found is None:
        return AgentTrend(per_hour=None, interval=None, p=None, hours=None, change=None, real=False,
                          sentence=f"Too few readings: a trend needs {MIN_READINGS} at different times.")  # fmt: skip
    limits = found.interval
    real = (
        limits is not None
        and not limits.contains(0.0)
        and found.p <= SURE
        and abs(found.change) > (MIN_CHANGE if noise_floor is None else noise_floor)
    )
    return AgentTrend.from_row(
        found,
        # Extrapolating a run of seconds to an hour can overflow.
        per_hour=found.per_hour if math.isfinite(found.per_hour) else None,
        interval=Interval(low=limits.low, high=limits.high) if limits and math.isfinite(limits.high) else None,
        real=real,
        sentence=_sentence(found) if real else "No trend beyond chance and the noise floor.",
    )


def _sentence(found: Trend) -> str:
    """Return the change per hour, or over the whole run if it took less than an hour."""
    direction = "slower" if found.change > 0 else "faster"
    lasted = format_duration_ns(found.hours * NS_PER_HOUR)
    what = f"The machine became {direction} by {abs(found.change):.1%} during the run ({lasted})"
    if found.hours >= 1 and found.interval is not None:
        low, high = sorted((abs(found.interval.low), abs(found.interval.high)))
        what = (
            f"The machine became {direction} by {abs(found.per_hour):.1%} per hour "
            f"(95 % interval {low:.1%} to {high:.1%})"
        )
    return f"{what}. Paired comparisons are not affected."
