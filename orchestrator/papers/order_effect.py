"""The effect of the order of executions: false differences of a case with itself, blocked against interleaved. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from orchestrator.papers.quantities import Device, OtherReadings
from orchestrator.papers.statements import ClaimEvidence
from orchestrator.results.answers.readings import Candidate, ReadingName
from orchestrator.statistics.claims.counts import Counts
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MIN_FOR_INTERVAL
from orchestrator.statistics.paired import compare_shared

_TIME: ReadingName = "work_wall_ns"


@dataclass(frozen=True)
class MoreFalseDifferences:
    """A case is called different from its own copy more often in blocked order than in interleaved order.

    Both orders have the same pairs of copies (first and second, third and fourth …), the same test at 95 % and no
    noise floor. Of the pairs that only one order calls different, most must be of the blocked order: exact sign test.
    Source: McNemar, Psychometrika 12 (1947).
    """

    plan: str
    """Name of a plan that has such executions."""
    tested: str = field(
        default="blocked order has more than half of the pairs of copies that only one order calls different",
        init=False,
    )

    def evidence(self, device: Device) -> ClaimEvidence:
        """Return the counts of both orders."""
        interleaved, blocked = (device.other_readings(_TIME, purpose) for purpose in ("timing", "blocked"))
        if not any(np.isfinite(values).any() for inputs in blocked.values() for values in inputs.values()):
            return ClaimEvidence((), (f"the run has no executions in blocked order; plans/{self.plan}.yaml has them",))
        pairs = list(_pairs(interleaved, blocked))
        if not pairs:
            return ClaimEvidence(
                (), (f"the run has no copies of a case with {MIN_FOR_INTERVAL} blocks in both orders",)
            )
        only_blocked = sum(of_blocked and not of_interleaved for of_interleaved, of_blocked in pairs)
        only_interleaved = sum(of_interleaved and not of_blocked for of_interleaved, of_blocked in pairs)
        words = (
            f"of {len(pairs)} pairs of equal cases, {sum(one for _, one in pairs)} called different in blocked order, "
            f"{sum(one for one, _ in pairs)} in interleaved order"
        )
        if not only_blocked + only_interleaved:
            return ClaimEvidence((), (f"{words}: no pair differs in one order only",))
        return ClaimEvidence(Counts(words, only_blocked, only_blocked + only_interleaved, 0.5))


def _pairs(interleaved: OtherReadings, blocked: OtherReadings) -> Iterator[tuple[bool, bool]]:
    """Yield for each pair of copies whether interleaved and whether blocked order calls them different."""
    for first, second in _copies(interleaved):
        for given in sorted(interleaved[first].keys() & interleaved[second].keys()):
            verdicts = [
                _verdict(order.get(first, {}).get(given), order.get(second, {}).get(given))
                for order in (interleaved, blocked)
            ]
            if "undecided" not in verdicts:
                yield verdicts[0] == "different", verdicts[1] == "different"


def _copies(readings: Mapping[Candidate, object]) -> Iterator[tuple[Candidate, Candidate]]:
    groups = defaultdict[Candidate, list[Candidate]](list)
    for one in sorted(readings):
        groups[replace(one, copy=1)].append(one)
    for copies in groups.values():
        yield from zip(copies[::2], copies[1::2], strict=False)


def _verdict(first: Floats | None, second: Floats | None) -> str:
    """Return the verdict on two series of times; `undecided` with too few common blocks."""
    if first is None or second is None:
        return "undecided"
    found = compare_shared(1 / first[:, np.newaxis], 1 / second[:, np.newaxis])
    return found.verdict if found else "undecided"
