"""Overhead of a process without a cipher on the agents of a run, by `noop`. It is never a candidate."""

import math
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy.orm import Session

from orchestrator.database.models import Case, CaseStatistics
from orchestrator.results.answers import repository
from orchestrator.results.answers.facts import build_facts
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.schemas import Interval, OverheadPoint, ProcessOverhead
from orchestrator.shared.units import format_duration_ns, format_size

_Measured = tuple[Case, CaseStatistics]


def process_overheads(session: Session, run_id: str) -> dict[str, list[ProcessOverhead]]:
    """Return the overheads of a run by agent id, one for each provider and build; empty without results of `noop`."""
    programs: dict[tuple[str, str, int], list[_Measured]] = defaultdict(list)
    for case, summary in repository.noop_cases(session, run_id):
        programs[case.agent_id, case.provider, case.build_id].append((case, summary))
    builds = build_facts(repository.builds(session, {build_id for _, _, build_id in programs}))
    several = len(builds) > 1
    found: dict[str, list[ProcessOverhead]] = defaultdict(list)
    for (agent_id, provider, build_id), measured in sorted(programs.items()):
        build, points = builds[build_id], list(_points(measured))
        name = f"{provider} [{build.toolchain}]" if several else provider
        found[agent_id].append(
            ProcessOverhead(
                provider=provider, build_key=build.build_key, toolchain=build.toolchain, points=points,
                sentence=f"{name}: {_words(points)}",
            )
        )  # fmt: skip
    return dict(found)


def _points(measured: Sequence[_Measured]) -> list[OverheadPoint]:
    """Return one point per input length; of several cases, the geometric mean of their medians."""
    lengths: dict[int, list[_Measured]] = defaultdict(list)
    for case, summary in measured:
        lengths[case.message_bytes].append((case, summary))
    return [
        OverheadPoint(
            length_bytes=length,
            work_wall_ns=math.exp(math.fsum(math.log(one.median_work_wall_ns or 1.0) for _, one in cases) / len(cases)),
            interval=_interval(*cases[0]) if len(cases) == 1 else None,
            n=sum(one.ok for _, one in cases),
            case_ids=[case.id for case, _ in cases],
        )
        for length, cases in sorted(lengths.items())
    ]


def _interval(case: Case, summary: CaseStatistics) -> Interval | None:
    """Return the interval of the time, whose limits are those of the throughput, inverted."""
    low, high = summary.low_pass_bytes_per_second, summary.high_pass_bytes_per_second
    if low is None or high is None:
        return None
    whole = case.message_bytes * NS_PER_SECOND
    return Interval(low=whole / high, high=whole / low)


def _words(points: Sequence[OverheadPoint]) -> str:
    ends = dict.fromkeys((0, len(points) - 1))
    return " to ".join(
        f"{format_duration_ns(points[end].work_wall_ns)} with {format_size(points[end].length_bytes)}" for end in ends
    )
