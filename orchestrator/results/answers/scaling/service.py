"""Start-up and cost per byte of a run's candidates: T(n) = a + b·n over their input lengths."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.results.answers import pooling
from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.facts import facts_of_agents
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Candidates, Input, ReadingsCache
from orchestrator.results.answers.scaling.schemas import ScalingAnswer, ScalingPoint, ScalingRow, ScalingStep
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.freshness.service import RunSnapshot
from orchestrator.results.schemas import Interval, Measure
from orchestrator.shared.errors import NoData
from orchestrator.shared.units import format_signed_duration_ns, format_size, format_throughput
from orchestrator.statistics.holm import holm
from orchestrator.statistics.paired import SIGNIFICANCE
from orchestrator.statistics.scaling import MIN_LENGTHS, Scaling, scale


def read_scaling(
    seen: RunSnapshot, cache: ReadingsCache, measure: Measure | None, with_disturbed: bool = True
) -> Callable[[], ScalingAnswer]:
    """Read the times of every candidate; return what computes start-up and cost per byte, after the transaction.

    Without a measure: pass, which includes the start-up of the process, or call for a latency run.
    """
    readings = cache.get(seen.session, seen.run.id, with_disturbed)
    chosen: Measure = measure or ("pass" if readings.process or not readings.latency else "call")
    candidates = readings.candidates(chosen)
    agents = facts_of_agents(seen.session, seen.run.id, candidates)

    def compute() -> ScalingAnswer:
        lines = readings.once(("lines", chosen), lambda: _lines(candidates, chosen))
        series = [
            _Series(candidate, agents[candidate.agent_id], inputs, fitted)
            for candidate in sorted(candidates)
            for inputs, fitted in lines[candidate]
        ]
        return ScalingAnswer(run_id=seen.run.id, measure=chosen, rows=_rows(series))

    return compute


_Line = tuple[list[Input], Scaling | str]
"""Inputs that differ only in length and kind, and the line through them or the reason for having none."""


def _lines(candidates: Candidates, measure: Measure) -> dict[Candidate, list[_Line]]:
    """Return the lines of all candidates; fitting takes some milliseconds per candidate, so the result is cached."""
    return {
        candidate: [(inputs, _fitted(found, measure, inputs)) for inputs in _groups(found, measure)]
        for candidate, found in candidates.items()
    }


@dataclass(frozen=True)
class _Series:
    """One line with its candidate, agent and inputs."""

    candidate: Candidate
    agent: AgentFacts
    inputs: Sequence[Input]
    fitted: Scaling | str  # or the reason for having no line

    @property
    def lack_of_fit_p(self) -> float | None:
        """p-value of this line's lack of fit, uncorrected."""
        if isinstance(self.fitted, str) or self.fitted.lack_of_fit is None:
            return None
        return self.fitted.lack_of_fit.p


def _groups(readings: CandidateReadings, measure: Measure) -> Iterator[list[Input]]:
    """Return groups of inputs that differ only in length and kind, without calls that take no message."""
    sorts: dict[tuple[str, str, int], list[Input]] = {}
    for given in sorted(readings.of(measure)):
        if given.has_message:
            sorts.setdefault((given.operation, given.key_setup, given.associated_data_bytes), []).append(given)
    yield from sorts.values()


def _fitted(readings: CandidateReadings, measure: Measure, inputs: Sequence[Input]) -> Scaling | str:
    kinds = pooling.common_kinds(inputs)
    lengths = pooling.lengths_bytes(inputs)
    if len(lengths) < MIN_LENGTHS:
        return f"it was measured with {len(lengths)} input lengths, a line needs {MIN_LENGTHS}"
    if not kinds:
        return "no kind of input was measured with every length"
    try:
        return scale(pooling.times_by_length(readings, measure, inputs), lengths)
    except NoData:
        return "no block has an ok execution with every length"


def _rows(series: Sequence[_Series]) -> list[ScalingRow]:
    """Return a row for each line; the p-values of fit are Holm-corrected."""
    tested = [place for place, one in enumerate(series) if one.lack_of_fit_p is not None]
    adjusted = dict(zip(tested, holm([series[place].lack_of_fit_p or 0.0 for place in tested]), strict=True))
    return [_row(one, adjusted.get(place)) for place, one in enumerate(series)]


def _row(one: _Series, p: float | None) -> ScalingRow:
    given, fitted = one.inputs[0], one.fitted
    common: dict[str, Any] = {
        **one.agent.identity(one.candidate),
        "agent_name": one.agent.agent_name,
        "operation": given.operation,
        "key_setup": given.key_setup,
        "associated_data_bytes": given.associated_data_bytes,
        "kinds": sorted(pooling.common_kinds(one.inputs) - {""}),
        "lack_of_fit_p": p,
    }
    if isinstance(fitted, str):
        return ScalingRow(**common, reason=fitted)
    lack = fitted.lack_of_fit
    fits = _fits(p, lack.largest_miss if lack else 0.0, one.agent.noise_floor.relative)
    slopes = [step.slope.middle for step in fitted.steps]
    row = ScalingRow(
        **common,
        blocks=fitted.blocks,
        start_up_ns=fitted.start_up_ns.middle,
        start_up_interval=Interval.of(fitted.start_up_ns.interval),
        **_per_byte(fitted, fits),
        step_lowest_ns=min(slopes),
        step_highest_ns=max(slopes),
        fits=fits,
        largest_miss=lack.largest_miss if lack else None,
        worst_length_bytes=lack.worst_length_bytes if lack else None,
        points=list(_points(fitted)),
        steps=[
            ScalingStep(from_bytes=step.from_bytes, to_bytes=step.to_bytes, per_byte_ns=step.slope.middle,
                        interval=Interval.of(step.slope.interval))
            for step in fitted.steps
        ],
    )  # fmt: skip
    return row.model_copy(update={"sentence": summary_of(row)})


def _per_byte(fitted: Scaling, fits: bool | None) -> dict[str, Any]:
    """Return b in its three forms; nothing if no line fits."""
    if fits is False:
        return {}
    speed = fitted.bytes_per_ns
    return {
        "per_byte_ns": fitted.per_byte_ns.middle,
        "per_byte_interval": Interval.of(fitted.per_byte_ns.interval),
        "per_byte_bytes_per_second": None if speed is None else NS_PER_SECOND * speed,
    }


def _fits(p: float | None, largest_miss: float, noise_floor: float | None) -> bool | None:
    return None if p is None else p > SIGNIFICANCE or largest_miss <= (noise_floor or 0.0)


def _points(fitted: Scaling) -> Iterator[ScalingPoint]:
    for length_bytes, time_ns in zip(fitted.lengths_bytes, fitted.times_ns, strict=True):
        line_ns = fitted.line_ns(length_bytes)
        # A line that does not fit may pass below 0, where a relative miss is undefined.
        miss = time_ns / line_ns - 1 if line_ns > 0 else None
        yield ScalingPoint(length_bytes=length_bytes, time_ns=time_ns, line_ns=line_ns, miss=miss)


def summary_of(row: ScalingRow) -> str:
    """Return the sentence for a candidate with a line."""
    if row.fits is False:
        return (
            f"No line fits: {format_size(row.worst_length_bytes or 0)} misses it by {row.largest_miss or 0:.1%}. "
            f"{_range(row)}"
        )
    sentence = f"{_start_up(row)}, then {_cost_per_byte(row)}."
    return sentence if row.fits else f"One block cannot show whether a line fits; if one does: {sentence}"


def _start_up(row: ScalingRow) -> str:
    start_up_ns, interval = row.start_up_ns or 0.0, row.start_up_interval
    if interval is None:
        return f"{format_signed_duration_ns(start_up_ns)} of start-up"
    limits = f"95 % interval {format_signed_duration_ns(interval.low)} to {format_signed_duration_ns(interval.high)}"
    if interval.low <= 0 <= interval.high:
        return f"no start-up distinguishable from 0 ({limits})"
    return f"{format_signed_duration_ns(start_up_ns)} of start-up ({limits})"


def _cost_per_byte(row: ScalingRow) -> str:
    per_byte_ns = row.per_byte_ns or 0.0
    cost = f"{per_byte_ns:.3g} ns per byte"
    if row.per_byte_interval is not None:
        cost += f" ({row.per_byte_interval.low:.3g} to {row.per_byte_interval.high:.3g})"
    speed = row.per_byte_bytes_per_second
    return f"{cost}, not distinguishable from 0" if speed is None else f"{cost}, {format_throughput(speed)}"


def _range(row: ScalingRow) -> str:
    """Return the range of the cost per byte between successive lengths."""
    lowest, highest = (choose(row.steps, key=lambda step: step.per_byte_ns) for choose in (min, max))
    low, high = (
        f"{step.per_byte_ns:.3g} ns from {format_size(step.from_bytes)} to {format_size(step.to_bytes)}"
        for step in (lowest, highest)
    )
    return f"A byte costs between {low} and {high}."
