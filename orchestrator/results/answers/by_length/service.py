"""Figures by input length: the data of a run's throughput and latency charts."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from orchestrator.database.engine import Database
from orchestrator.results.answers import pooling
from orchestrator.results.answers.agents import BuildFacts
from orchestrator.results.answers.by_length.schemas import LatencyChart, LatencyPoint, ThroughputChart, ThroughputPoint
from orchestrator.results.answers.facts import build_facts
from orchestrator.results.answers.readings import (
    Candidate,
    CandidateReadings,
    Candidates,
    Input,
    ReadingsCache,
)
from orchestrator.results.schemas import Interval, Measure
from orchestrator.runs.repository import require_run
from orchestrator.statistics.median import MedianSummary


def get_throughput(
    database: Database, cache: ReadingsCache, run_id: str, measure: Measure, kind: str | None = None
) -> ThroughputChart:
    """Return throughput by chunk length of every candidate, of one kind of chunk or of all kinds pooled.

    Raises NotFound.
    """
    candidates = cache.get(run_id).process
    points = [
        point
        for candidate, build in with_builds(database, run_id, candidates)
        for point in _throughputs(identity(candidate, build), candidates[candidate], measure, kind)
    ]
    return ThroughputChart(run_id=run_id, measure=measure, points=points)


def get_latency(database: Database, cache: ReadingsCache, run_id: str) -> LatencyChart:
    """Return the time of one call by message length of every candidate, fills pooled; raises NotFound."""
    candidates = cache.get(run_id).latency
    points = [
        point
        for candidate, build in with_builds(database, run_id, candidates)
        for point in _calls(identity(candidate, build), candidates[candidate])
    ]
    return LatencyChart(run_id=run_id, points=points)


def with_builds(database: Database, run_id: str, candidates: Candidates) -> list[tuple[Candidate, BuildFacts]]:
    """Return the candidates in order, each with its build; raises NotFound."""
    with database.read() as session:
        require_run(session, run_id)
        builds = build_facts(session, {candidate.build_id for candidate in candidates})
    return [(candidate, builds[candidate.build_id]) for candidate in sorted(candidates)]


def identity(candidate: Candidate, build: BuildFacts) -> dict[str, Any]:
    """Return the candidate's fields of every point."""
    return {
        "agent_id": candidate.agent_id,
        "provider": candidate.provider,
        "algorithm": candidate.algorithm,
        "variant": candidate.variant,
        **candidate.form.fields,
        "copy_number": candidate.copy,
        "build_key": build.build_key,
        "toolchain": build.toolchain,
    }


def _throughputs(
    candidate: Mapping[str, Any], readings: CandidateReadings, measure: Measure, kind: str | None
) -> Iterator[ThroughputPoint]:
    throughputs = [one for one in readings.of(measure) if kind in (None, one.kind)]
    for length_bytes in pooling.lengths_bytes(throughputs):
        inputs = sorted(one for one in throughputs if one.length_bytes == length_bytes)
        summary = pooling.pooled(readings.matrix(measure, inputs))
        if summary is not None:
            yield ThroughputPoint(
                **candidate,
                length_bytes=length_bytes,
                kinds=pooling.kinds(inputs),
                throughput_bytes_per_second=summary.median,
                interval=_interval(summary),
                blocks=summary.n,
            )


def _calls(identity_fields: Mapping[str, Any], readings: CandidateReadings) -> Iterator[LatencyPoint]:
    for call in sorted({_call(one) for one in readings.call}):
        inputs = sorted(one for one in readings.call if _call(one) == call)
        summary = pooling.pooled(readings.matrix("call", inputs))
        if summary is not None:
            operation, key_setup, associated_data_bytes, length_bytes = call
            yield LatencyPoint(
                **identity_fields,
                operation=cast(Any, operation),
                key_setup=cast(Any, key_setup),
                length_bytes=length_bytes,
                associated_data_bytes=associated_data_bytes,
                call_wall_ns=summary.median,
                interval=_interval(summary),
                cold_call_wall_ns=pooling.geometric_mean(readings.cold_call_wall_ns, inputs),
                blocks=summary.n,
            )


def _call(given: Input) -> tuple[str, str, int, int]:
    return given.operation, given.key_setup, given.associated_data_bytes, given.length_bytes


def _interval(summary: MedianSummary) -> Interval | None:
    limits = summary.interval
    return Interval(low=limits.low, high=limits.high) if limits else None
