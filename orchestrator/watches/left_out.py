"""Cases of a run that its comparison with a baseline leaves out, each with the reason."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.models import Omission
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.results.comparisons.measured import planned_cases, verified_cases
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.runs.repository import get_run, require_run
from orchestrator.service.trust.repository import distrusted_agents
from orchestrator.statistics.comparisons.between_runs import MIN_NEW
from orchestrator.statistics.location import Floats
from orchestrator.watches import repository
from orchestrator.watches.cases import RunValue, case_label, identified
from orchestrator.watches.schemas import LeftOutCase, WatchedCase

_WITHDRAWN = f"Its results are {WITHDRAWN}."
_FAILED = "No verified result, unlike in former runs: its executions failed, or results are wrong."
_ALWAYS_FAILED = "No verified result, and none in former runs: its executions failed, or results are wrong."
_MISSING = "The run has no such case, unlike former runs of the same plan."
_SELECTING = ("agents", "architectures", "requires", "toolchains", "libraries", "matrix")
"""Keys of a plan that select its cases from what the agents offer."""


@dataclass
class LeftOut:
    """Cases that are not compared."""

    withdrawn: list[WatchedCase]
    """Planned cases of distrusted agents."""
    lost: list[LeftOutCase]
    """Cases that former runs have, and that failed, had a wrong result or were omitted."""
    others: list[LeftOutCase]
    """Cases and omitted combinations of which the former runs have no result either, and cases that are missing."""

    @property
    def every(self) -> list[LeftOutCase]:
        """All but the lost ones."""
        withdrawn = [LeftOutCase(case_words=case_label(one), reason=_WITHDRAWN) for one in self.withdrawn]
        return [*withdrawn, *self.others]


def left_out(
    session: Session,
    run_id: str,
    measure: RankingMeasure,
    values: Mapping[str, Sequence[RunValue]],
    former_ids: Sequence[str],
) -> LeftOut:
    """Return the cases that a run has no value of although it, or a former run of the same plan, planned them.

    values: of the run and of the former ones, by run.
    """
    distrusted = distrusted_agents(session)
    planned = identified(planned_cases(session, run_id))
    trusted = {key: case for key, case in planned.items() if case.agent_id not in distrusted}
    has = {one.key for one in values[run_id]}
    former = {one.key for run in former_ids for one in values[run]}
    lost = [
        LeftOutCase(case_words=case_label(case), reason=_FAILED)
        for key, case in trusted.items()
        if key in former and key not in has
    ]
    verified = identified(verified_cases(session, run_id))
    others = [
        LeftOutCase(
            case_words=case_label(case), reason=f"No reading of {measure}." if key in verified else _ALWAYS_FAILED
        )
        for key, case in trusted.items()
        if key not in former and key not in has and _has_measure(case, measure)
    ]
    omissions = repository.omissions_of(session, [run_id])
    missing = {
        one.key: one.facts
        for run in _of_equal_plans(session, run_id, former_ids)
        for one in values[run]
        if one.key not in planned and one.facts.agent_id not in distrusted
    }
    explaining: set[int] = set()
    for case in missing.values():
        found = next((one for one, _ in omissions if _covers(one, case)), None)
        if found is None:
            others.append(LeftOutCase(case_words=case_label(case), reason=_MISSING))
        else:
            lost.append(LeftOutCase(case_words=case_label(case), reason=found.reason))
            explaining.add(found.id)
    others += _new_omissions(session, omissions, former_ids, explaining)
    return LeftOut([case for case in planned.values() if case.agent_id in distrusted], lost, others)


def unconfirmed(cases: Sequence[WatchedCase], new: Floats, suspected: Sequence[int]) -> Iterator[LeftOutCase]:
    """Yield the suspects of which too few new runs have a result; new: values, shape (runs, cases)."""
    for place in suspected:
        count = int(np.isfinite(new[:, place]).sum())
        if count < MIN_NEW:
            has = f"{count} run{' has' if count == 1 else 's have'} a verified result of it"
            yield LeftOutCase(
                case_words=case_label(cases[place]), reason=f"Suspected, but {has}, and {MIN_NEW} are needed."
            )


def _has_measure(case: WatchedCase, measure: RankingMeasure) -> bool:
    """Return whether the protocol of a case has the measure; only cases of calls have an operation."""
    return MEASURES[measure].protocol in ("either", "latency" if case.operation else "process")


def _of_equal_plans(session: Session, run_id: str, former_ids: Sequence[str]) -> Iterator[str]:
    plan = require_run(session, run_id).plan
    for one in former_ids:
        other = get_run(session, one)  # It may have been deleted since its values were read.
        if other is not None and all(plan.get(key) == other.plan.get(key) for key in _SELECTING):
            yield one


def _covers(omission: Omission, case: WatchedCase) -> bool:
    """Return whether a combination that was omitted contains a case."""
    pairs = (
        (omission.agent_id, case.agent_id), (omission.provider, case.provider),
        (omission.algorithm, case.algorithm), (omission.variant, case.variant),
    )  # fmt: skip
    return all(omitted in (None, own) for omitted, own in pairs)


def _new_omissions(
    session: Session,
    omissions: Sequence[tuple[Omission, str | None]],
    former_ids: Sequence[str],
    explaining: Collection[int],
) -> Iterator[LeftOutCase]:
    """Yield the combinations that were omitted, and that every former run has or never planned.

    A pattern of a plan such as * always omits some: what a former run omitted as well is no difference to it.
    """
    known = {_combination(one) for one, _ in repository.omissions_of(session, former_ids)}
    for one, agent in omissions if former_ids else ():
        if one.id not in explaining and _combination(one) not in known:
            names = " ".join(filter(None, (one.provider, one.algorithm, one.variant))) or "every case"
            yield LeftOutCase(case_words=f"{names}, on {agent}", reason=one.reason)


def _combination(one: Omission) -> tuple[str | None, ...]:
    return one.agent_id, one.provider, one.algorithm, one.variant
