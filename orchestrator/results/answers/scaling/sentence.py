"""Summary sentence of a line through the input lengths."""

from orchestrator.results.answers.scaling.schemas import ScalingRow
from orchestrator.shared.units import format_signed_duration_ns, format_size, format_throughput


def summary_of(row: ScalingRow) -> str:
    """Return the sentence for a candidate with a line."""
    if row.fits is False:
        return (
            f"No line fits: {format_size(row.worst_length_bytes or 0)} misses it by {row.largest_miss or 0:.1%}. "
            f"{_range(row)}"
        )
    sentence = f"{_start_up(row)}, then {_per_byte(row)}."
    return sentence if row.fits else f"{sentence} One block cannot show whether a line fits."


def _start_up(row: ScalingRow) -> str:
    start_up_ns, interval = row.start_up_ns or 0.0, row.start_up_interval
    if interval is None:
        return f"{format_signed_duration_ns(start_up_ns)} of start-up"
    limits = f"95 % interval {format_signed_duration_ns(interval.low)} to {format_signed_duration_ns(interval.high)}"
    if interval.low <= 0 <= interval.high:
        return f"no start-up distinguishable from 0 ({limits})"
    return f"{format_signed_duration_ns(start_up_ns)} of start-up ({limits})"


def _per_byte(row: ScalingRow) -> str:
    per_byte_ns = row.per_byte_ns or 0.0
    cost = f"{per_byte_ns:.3g} ns per byte"
    if row.per_byte_interval is not None:
        cost += f" ({row.per_byte_interval.low:.3g} to {row.per_byte_interval.high:.3g})"
    speed = row.per_byte_bytes_per_second
    return cost if speed is None else f"{cost}, {format_throughput(speed)}"


def _range(row: ScalingRow) -> str:
    """Return the range of the cost per byte between successive lengths."""
    lowest, highest = (choose(row.steps, key=lambda step: step.per_byte_ns) for choose in (min, max))
    low, high = (
        f"{step.per_byte_ns:.3g} ns from {format_size(step.from_bytes)} to {format_size(step.to_bytes)}"
        for step in (lowest, highest)
    )
    return f"A byte costs between {low} and {high}."
