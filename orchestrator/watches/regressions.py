"""One run compared with former runs, for continuous integration: suspects first, then the changes."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Run
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.differences import differences
from orchestrator.results.comparisons.measured import compared_measures, measured_cases
from orchestrator.results.freshness.service import catch_up
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.runs.planning.plan import read_plan
from orchestrator.runs.repository import get_run, require_run
from orchestrator.runs.state import RunState
from orchestrator.service.trust.repository import distrusted_agents
from orchestrator.shared.errors import Conflict, NotFound
from orchestrator.shared.values.text import counted
from orchestrator.statistics.comparisons.between_runs import CONFIRMATIONS, MIN_FORMER
from orchestrator.statistics.location import Floats
from orchestrator.watches import repository
from orchestrator.watches.cases import RunValue, case_label, change_fields, run_values, values_table
from orchestrator.watches.judgment import WINDOW, FirstJudgment, References, decide, judge_first, remaining
from orchestrator.watches.left_out import ComparedRun, LeftOut, left_out, unconfirmed
from orchestrator.watches.narrowing import narrowed
from orchestrator.watches.schemas import RegressionRow, Regressions
from orchestrator.watches.sentences import METHOD, changes_words, too_few_words, undecided_words

_Compared = tuple[Sequence[str], Sequence[str]]
"""Runs that a run is compared with: the baseline, and further ones that show the variation if it is a single run."""


def find_regressions(
    database: Database,
    cache: ReadingsCache,
    *,
    run_id: str,
    baseline: str,
    confirmations: Sequence[str],
    measure: RankingMeasure | None,
    may_be_empty: bool = False,
) -> Regressions:
    """Return the changes of a run and its confirmations against a baseline, or the plan that confirms its suspects.

    baseline: a run, or a tag of runs. may_be_empty: a tag that no other finished run has is an empty baseline. Raises
    NotFound for a run or tag that does not exist, and Conflict for a run that has not finished or shares no case with
    the baseline.
    """
    with database.read() as session:
        runs = [_finished(session, one) for one in (run_id, *confirmations)]
        compared = _compared(session, baseline, runs, may_be_empty=may_be_empty)
        document = runs[0].plan
        distrusted = distrusted_agents(session)
    chosen, values = values_of_run(database, cache, run_id, measure)
    first = [one for one in values if one.facts.agent_id not in distrusted]
    others = {run_id: values} | {one: values_of_run(database, cache, one, chosen)[1] for one in confirmations}
    base, former_ids = _with_values(database, cache, compared, chosen, others)
    keys = {one.key: place for place, one in enumerate(first)}
    cases = [one.facts for one in first]
    with database.read() as session:
        own, *former = [
            ComparedRun.of(session, one, {value.key: value for value in others[one]})
            for one in (run_id, *base, *former_ids)
        ]
        left = left_out(session, own, chosen, former, known={})

    def table(ids: Sequence[str]) -> Floats:
        numbered = [{keys[value.key]: value.value for value in others[one] if value.key in keys} for one in ids]
        return values_table(numbered, range(len(cases)))

    new = table([run_id, *confirmations])
    references = References(range(len(cases)), table(base), [table(former_ids)] if former_ids else [])
    judged = judge_first(new[0], references)
    if base and not judged.compared and not left.lost and not left.withdrawn:
        raise Conflict(
            f"Run {run_id} and the baseline {baseline} share no case with a reading of {chosen}.",
            remedy="Compare runs of one plan, with equal agents, toolchains, implementations and inputs.",
        )
    suspected = judged.suspects
    for count in range(2, len(new) + 1):
        suspected = remaining(new[:count], references, suspected)
    found = decide(new, references, suspected, judged.cases, rises=MEASURES[chosen].rises)
    confirming = bool(suspected) and len(confirmations) < CONFIRMATIONS
    doubtful = [cases[place] for place in suspected] if confirming else []
    rows = [] if confirming else [RegressionRow(**change_fields(one, cases[one.case_id])) for one in found]
    if not confirming:
        left.others += unconfirmed(cases, new, suspected)
    return Regressions(
        run_id=run_id,
        state="undecided" if judged.detectable is None else "confirm" if confirming else "decided",
        measure=chosen,
        unit=MEASURES[chosen].unit,
        baseline_run_ids=list(base),
        former_run_ids=list(former_ids),
        cases=judged.cases,
        suspects=len(suspected),
        undecided=len(judged.undecided),
        undecided_cases=[case_label(cases[place]) for place in judged.undecided],
        lost=left.lost,
        left_out=left.every,
        confirmations=len(confirmations),
        confirmation_plan=narrowed(document, read_plan(document, None).plan, doubtful) if confirming else None,
        changes=rows,
        differences=differences(database, cache, run_id, base[::-1], chosen) if rows else [],
        detectable_change=judged.detectable,
        compared=[case_label(case) for case in cases],
        sentence=_sentence(judged, references.known, len(doubtful), rows, left),
        method=METHOD,
    )


def _with_values(
    database: Database,
    cache: ReadingsCache,
    compared: _Compared,
    measure: RankingMeasure,
    values: dict[str, list[RunValue]],
) -> _Compared:
    """Add the values of former runs; return the comparison without the runs that have no result of the measure.

    A tag, or the name of a plan, may have runs of other measures and runs that failed. Raises Conflict if no run of the
    baseline is left.
    """
    refusal = None
    for one in (*compared[0], *compared[1]):
        try:
            values[one] = values_of_run(database, cache, one, measure)[1]
        except Conflict as error:
            refusal = refusal or error
    baseline, former = ([one for one in ids if one in values] for ids in compared)
    if refusal is not None and not baseline:
        raise refusal
    return baseline, former


def values_of_run(
    database: Database, cache: ReadingsCache, run_id: str, measure: RankingMeasure | None
) -> tuple[RankingMeasure, list[RunValue]]:
    """Return the measure, by default the first that the run has, and the value of each case.

    Raises Conflict for a run without a verified result of the measure.
    """
    catch_up(database, run_id)
    with database.read() as session:
        has = compared_measures(cache.get(session, run_id))
        if not has or (measure is not None and measure not in has):
            raise Conflict(
                f"Run {run_id} has no verified result{f' of {measure}' if measure else ''}.",
                remedy=f"Use {', '.join(has)}." if has else "Look at its executions for the reason of their failure.",
            )
        chosen = measure or has[0]
        cases = measured_cases(session, cache.get(session, run_id, measure=chosen), chosen)
    return chosen, run_values(cases)


def _finished(session: Session, run_id: str) -> Run:
    run = require_run(session, run_id)
    if run.state != RunState.FINISHED:
        raise Conflict(f"Run {run_id} is {run.state}.", remedy=f"Wait for its end: ciphermark runs watch {run_id}.")
    return run


def _compared(session: Session, baseline: str, own: Sequence[Run], *, may_be_empty: bool) -> _Compared:
    """Return the runs that a baseline names; the own ones are left out."""
    ids = {run.id for run in own}
    single = get_run(session, baseline)
    if single is not None:
        _finished(session, single.id)
        named = repository.finished_runs_named(session, own[0].name, WINDOW + len(ids) + 1)
        former = [run.id for run in named if run.id not in {*ids, single.id}]
        return [single.id], former[:WINDOW]
    tagged = repository.finished_runs_with_tag(session, baseline, WINDOW + len(ids))
    found = [run.id for run in tagged if run.id not in ids][:WINDOW]
    if not found and not may_be_empty:
        raise NotFound(
            f"{baseline!r} is neither a run nor a tag of another finished run: a run was deleted, or never existed.",
            remedy=f"Tag at least {MIN_FORMER} finished runs of this plan: ciphermark runs edit RUN --tag {baseline}.",
            field="baseline",
        )
    return found, []


def _sentence(
    judged: FirstJudgment,
    former: int,
    suspects: int,
    rows: Sequence[RegressionRow],
    left: LeftOut,
) -> str:
    if suspects:
        return f"Suspected, and measured again: {suspects} of {counted(judged.cases, 'case')}."
    if judged.detectable is None:
        found = [undecided_words(former, judged.cases, withdrawn=bool(left.withdrawn))]
    else:
        found = [changes_words(rows, judged.cases), too_few_words(len(judged.undecided), judged.cases)]
    return " ".join(filter(None, [*found, left.words]))
