"""Times of the candidates that a traffic's cost is computed from, or why a candidate has none. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.results.answers import pooling
from orchestrator.results.answers.readings import CandidateReadings, Candidates, Input
from orchestrator.results.schemas import Measure
from orchestrator.results.traffic.schemas import Direction
from orchestrator.shared.units import format_share, format_size
from orchestrator.statistics.location import Floats
from orchestrator.statistics.mixtures.cost import Mixture, Times
from orchestrator.wire.messages import KEY_SETUP, KeySetup


@dataclass(frozen=True)
class Calls:
    """Which executions give the time of a message."""

    measure: Measure
    operation: Direction
    key_setup: KeySetup | None
    """None for a measure without calls, like the next field."""
    associated_data_bytes: int | None

    @property
    def operations(self) -> tuple[str, ...]:
        """Operations whose times add up to that of a message."""
        if self.measure != "call":
            return ("",)
        return ("encrypt", "decrypt") if self.operation == "both" else (self.operation,)

    def includes(self, given: Input, operation: str) -> bool:
        """Return whether an input gives the time of this operation."""
        return given.operation == operation and (
            (self.measure != "call" and given.length_bytes > 0)
            or (given.key_setup, given.associated_data_bytes) == (self.key_setup, self.associated_data_bytes)
        )

    @property
    def label(self) -> str:
        """The calls for users: ``encrypt and decrypt, key set apart, with 16 B of associated data``."""
        if self.measure != "call":
            return {"encrypt": "the encryption phase", "pass": "the whole pass"}[self.measure]
        setup = "key set in each call" if self.key_setup == "included" else "key set apart"
        return (
            f"{' and '.join(self.operations)}, {setup}, {format_size(self.associated_data_bytes or 0)} associated data"
        )


def available(candidates: Candidates, operation: Direction) -> list[tuple[KeySetup, int]]:
    """Return the key setups and lengths of associated data with which a run measured calls of an operation, sorted."""
    operations = ("encrypt", "decrypt") if operation == "both" else (operation,)
    found: set[tuple[KeySetup, int]] = {
        ("included" if one.key_setup == "included" else "apart", one.associated_data_bytes)
        for readings in candidates.values()
        for one in readings.of("call")
        if one.operation in operations
    }
    return sorted(found)


def times_of(readings: CandidateReadings, calls: Calls, mixture: Mixture) -> Times | str:
    """Return a candidate's times, or the reason why it has no cost."""
    if readings.counts.wrong or readings.counts.disputed:
        return "it has wrong or disputed results"
    parts = [_part(readings, calls, operation) for operation in calls.operations]
    shared = sorted(set.intersection(*(set(lengths) for lengths, _ in parts)))
    if not shared:
        return f"it has no ok execution of {calls.label}"
    columns = [times[:, [lengths.index(one) for one in shared]] for lengths, times in parts]
    found = Times(tuple(shared), np.sum(columns, axis=0), _key_setups(readings))
    return _obstacle(found, mixture) or found


def _part(readings: CandidateReadings, calls: Calls, operation: str) -> tuple[list[int], Floats]:
    """Return the lengths and times of one operation, those without a result omitted."""
    inputs = [one for one in sorted(readings.of(calls.measure)) if calls.includes(one, operation)]
    if not inputs or not pooling.common_kinds(inputs):
        return [], np.empty((0, 0))
    lengths, times = pooling.lengths_bytes(inputs), pooling.times_by_length(readings, calls.measure, inputs)
    known = np.flatnonzero(np.isfinite(times).any(axis=0))
    return [lengths[place] for place in known], times[:, known]


def _key_setups(readings: CandidateReadings) -> Floats | None:
    inputs = [one for one in sorted(readings.of("call")) if one.operation == KEY_SETUP]
    if not inputs:
        return None
    times: Floats = np.exp(np.log(readings.matrix("call", inputs)).mean(axis=1))
    return times if np.isfinite(times).any() else None


def _obstacle(times: Times, mixture: Mixture) -> str:
    if mixture.key_changes and times.key_setup_ns is None:
        return "its key setup was not measured; measure the operation key-setup, or omit the key changes"
    if not times.covers(mixture):
        return _outside(times, mixture)
    if not np.isfinite(times.sums_ns(mixture)).any():
        return "no block has an ok execution of every length that the cost needs"
    return ""


def _outside(times: Times, mixture: Mixture) -> str:
    """Return which messages are outside the measured lengths, and what to measure."""
    low, high = times.lengths_bytes[0], times.lengths_bytes[-1]
    outside = [
        (length, share)
        for length, share in zip(mixture.lengths_bytes, mixture.shares, strict=True)
        if not low <= length <= high
    ]
    ends = dict.fromkeys((mixture.lengths_bytes[0], mixture.lengths_bytes[-1]))
    needed = [length for length in ends if not low <= length <= high]
    measured = "only " + format_size(low) if low == high else f"{format_size(low)} to {format_size(high)}"
    share = format_share(sum(share for _, share in outside))
    return (
        f"{share} of the messages are outside the measured lengths ({measured}); "
        f"nothing is extrapolated: measure {' and '.join(format_size(int(length)) for length in needed)}, too"
    )


def measured_share(times: Times, mixture: Mixture) -> float:
    """Return the share of the messages whose length was measured."""
    exact: Sequence[float] = [
        share
        for length, share in zip(mixture.lengths_bytes, mixture.shares, strict=True)
        if length in times.lengths_bytes
    ]
    return sum(exact)
