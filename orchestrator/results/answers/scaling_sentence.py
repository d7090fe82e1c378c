"""What a line through the lengths amounts to, in one sentence."""

from orchestrator.results.answers.scaling_schemas import ScalingRow
from orchestrator.units import format_duration_ns, format_size, format_throughput


def of(row: ScalingRow) -> str:
    """Return the sentence of a candidate that has a line."""
    if row.fits is False:
        return (
            f"No line fits: {format_size(row.worst_length_bytes or 0)} misses it by {row.largest_miss or 0:.1%}. "
            f"{_range(row)}"
        )
    told = f"{_start_up(row)}, then {_per_byte(row)}."
    return told if row.fits else f"{told} One block does not tell whether a line fits."


def _start_up(row: ScalingRow) -> str:
    start_up_ns, interval = row.start_up_ns or 0.0, row.start_up_interval
    if interval is None:
        return f"{_duration(start_up_ns)} of start-up"
    limits = f"95 % interval {_duration(interval.low)} to {_duration(interval.high)}"
    if interval.low <= 0 <= interval.high:
        return f"no start-up that can be told from 0 ({limits})"
    return f"{_duration(start_up_ns)} of start-up ({limits})"


def _per_byte(row: ScalingRow) -> str:
    per_byte_ns = row.per_byte_ns or 0.0
    told = f"{per_byte_ns:.3g} ns a byte"
    if row.per_byte_interval is not None:
        told += f" ({row.per_byte_interval.low:.3g} to {row.per_byte_interval.high:.3g})"
    speed = row.per_byte_bytes_per_second
    return told if speed is None else f"{told}, {format_throughput(speed)}"


def _range(row: ScalingRow) -> str:
    """Say between what the cost of a byte lies, from each length to the next."""
    lowest, highest = (choose(row.steps, key=lambda step: step.per_byte_ns) for choose in (min, max))
    low, high = (
        f"{step.per_byte_ns:.3g} ns from {format_size(step.from_bytes)} to {format_size(step.to_bytes)}"
        for step in (lowest, highest)
    )
    return f"A byte costs between {low} and {high}."


def _duration(ns: float) -> str:
    """Return a duration that may be negative: a line may meet the axis anywhere."""
    return f"-{format_duration_ns(-ns)}" if ns < 0 else format_duration_ns(ns)
