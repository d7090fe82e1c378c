"""Points relative to a reference of the same algorithm and length: paired by block, over the inputs that both have.

The rules are those of rankings: agents are compared apart, and an emulated one not at all. Two candidates without a
common block are compared as two samples, as comparisons of runs do.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.by_length.schemas import RatioMethod, RelativeRatio
from orchestrator.results.answers.pooling import block_means
from orchestrator.results.answers.readings import Candidate
from orchestrator.results.schemas import Interval
from orchestrator.statistics.comparisons.two_sample import SampleRatio, compare_samples
from orchestrator.statistics.holm import holm
from orchestrator.statistics.incomplete import Overlap, levels, overlap, select
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MIN_FOR_INTERVAL
from orchestrator.statistics.paired import Comparison, compare, verdict_of

TOO_LITTLE = "it shares too few inputs with the reference"
NO_INPUT = "it shares no input with the reference"


@dataclass(frozen=True)
class ComparedGroup:
    """Candidates of one agent that are compared with one of them."""

    agent: AgentFacts
    readings: Mapping[Candidate, Floats]
    """Of the same inputs, shape (blocks, inputs), NaN for a missing result; at least one complete block each."""
    labels: Mapping[Candidate, str]
    """Names of references."""

    def fastest(self) -> Candidate:
        """Return the leader of a ranking of these candidates, whose readings are throughputs.

        If no two of them can be ranked, it is the one with the highest median.
        """
        names = {f"{place:06d}": one for place, one in enumerate(sorted(self.readings))}
        speeds = {name: self.readings[one] for name, one in names.items()}
        selection = select(speeds)
        if not selection.names:
            return max(self.readings, key=lambda one: float(np.nanmedian(self.readings[one])))
        found = levels({name: speeds[name][:, selection.inputs] for name in selection.names})
        return names[min(found, key=lambda name: (-found[name].middle, name))]


_Compared = tuple[RatioMethod, Comparison | SampleRatio, float]
"""Method, comparison with the reference before the correction, and its noise floor."""


def relative_to_fastest(field: ComparedGroup) -> dict[Candidate, RelativeRatio]:
    """Return throughput / throughput of the fastest candidate.

    The readings decide which candidate is the fastest, so the verdicts are corrected for all pairs of the field (Holm).
    """
    shared = overlap(list(field.readings.values()))
    pairs = int(np.triu(shared.comparable & (shared.blocks >= MIN_FOR_INTERVAL), k=1).sum())
    return relative_to(field, field.fastest(), pairs)


def relative_to(field: ComparedGroup, reference: Candidate, family: int = 0) -> dict[Candidate, RelativeRatio]:
    """Return reading / reading of the reference.

    family: number of comparisons to correct the verdicts for, if there are more than those with the reference.
    """
    if field.agent.unranked:
        return dict.fromkeys(field.readings, RelativeRatio(reason=field.agent.unranked))
    ratios, compared = dict[Candidate, RelativeRatio](), dict[Candidate, _Compared]()
    for one, readings in field.readings.items():
        result = _compare(readings, field.readings[reference], field.agent.noise_floor.relative or 0.0)
        if one == reference:
            blocks = int(np.isfinite(readings).any(axis=1).sum())
            label = field.labels[one]
            ratios[one] = RelativeRatio(
                reference=label, ratio=1.0, method="reference", blocks=blocks, verdict="reference"
            )
        elif isinstance(result, str):
            ratios[one] = RelativeRatio(reason=result)
        else:
            compared[one] = result
    with_p = {one: found.p for one, (_, found, _) in compared.items() if found.p is not None}
    adjusted = dict(zip(with_p, holm(list(with_p.values()), max(family, len(with_p))), strict=True))
    for one, (method, found, noise_floor) in compared.items():
        ratios[one] = RelativeRatio(
            reference=field.labels[reference],
            ratio=found.ratio,
            interval=Interval.of(found.interval),
            method=method,
            blocks=found.blocks,
            verdict=verdict_of(math.log(found.ratio), adjusted.get(one), noise_floor),
        )
    return ratios


def _compare(readings: Floats, reference: Floats, noise_floor: float) -> _Compared | str:
    """Return the comparison with the reference, or the reason why there is none."""
    shared = overlap([readings, reference])
    if shared.comparable[0, 1]:
        found = compare(readings, reference, noise_floor=noise_floor)
        return "paired", found, found.noise_floor
    measured = _in_any_block(readings, reference)
    if not measured.comparable[0, 1] or shared.inputs[0, 1]:
        return TOO_LITTLE if measured.inputs[0, 1] else NO_INPUT
    both = np.isfinite(readings).any(axis=0) & np.isfinite(reference).any(axis=0)
    return "unpaired", compare_samples(block_means(readings[:, both]), block_means(reference[:, both])), noise_floor


def _in_any_block(*candidates: Floats) -> Overlap:
    """Return the inputs that two candidates share, whether or not in the same blocks."""
    return overlap([np.where(np.isfinite(one).any(axis=0), 1.0, np.nan)[None] for one in candidates])
