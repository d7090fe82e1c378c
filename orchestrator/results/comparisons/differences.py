"""Changes between former runs of a plan and a new one: compiler, flags, libraries, kernel, governor, …"""

from collections.abc import Sequence

import numpy as np

from orchestrator.database.engine import Database
from orchestrator.database.models import Run
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.changes import changes, in_most
from orchestrator.results.comparisons.facts import side_facts
from orchestrator.results.comparisons.measured import measured_cases
from orchestrator.results.comparisons.schemas import Change
from orchestrator.results.comparisons.sides import MeasuredCase, match
from orchestrator.results.freshness.service import catch_up
from orchestrator.results.measures import RankingMeasure
from orchestrator.runs.repository import get_run
from orchestrator.shared.errors import Conflict

FORMER_RUNS = 5
"""Former runs whose facts are compared: a change that is found late is missing in most of them."""


def differences(
    database: Database, cache: ReadingsCache, run_id: str, former_ids: Sequence[str], measure: RankingMeasure
) -> list[Change]:
    """Return in what a run differs from most of the former ones, by the facts of the cases that they share.

    former_ids: oldest first; at most `FORMER_RUNS` of them are used, evenly spread. Runs that were deleted, or share no
    case, are left out.
    """
    with database.read() as session:
        stored = [one for one in former_ids if get_run(session, one) is not None]
        if get_run(session, run_id) is None or not stored:
            return []
    chosen = spread(stored, FORMER_RUNS)
    for one in (run_id, *chosen):
        catch_up(database, one)
    with database.read() as session:
        readings = {one: cache.get(session, one, measure=measure) for one in (run_id, *chosen)}
        runs = {one: session.get_one(Run, one) for one in readings}
        cases = {one: measured_cases(session, readings[one], measure) for one in readings}
        of_each = []
        for former_id in chosen:
            pairs = _shared(cases[former_id], cases[run_id])
            seeded = any("seed" in runs[one].plan for one in (former_id, run_id))
            if pairs:
                before, after = (
                    side_facts(session, runs[one], [pair[place] for pair in pairs], (), seeded=seeded)
                    for place, one in enumerate((former_id, run_id))
                )
                of_each.append(changes(before, after))
    return in_most(of_each)


def _shared(former: Sequence[MeasuredCase], new: Sequence[MeasuredCase]) -> Sequence[tuple[MeasuredCase, MeasuredCase]]:
    """Return the cases that both runs have, without ignoring any of their properties."""
    try:
        found = match(former, new)
    except Conflict:
        return []
    return [] if found.crossed else found.pairs


def spread(items: Sequence[str], count: int) -> list[str]:
    """Return up to this number of items in their order, evenly spread from the first to the last."""
    places = np.linspace(0, len(items) - 1, min(count, len(items)))
    return [items[round(place)] for place in places]
