"""Cases of a run that its comparison with former runs leaves out, each with the reason: of watches and of `ci`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.models import Omission
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.results.comparisons.measured import planned_cases, verified_cases
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.runs.repository import get_run
from orchestrator.service.trust.repository import distrusted_agents
from orchestrator.statistics.comparisons.between_runs import MIN_NEW
from orchestrator.statistics.location import Floats
from orchestrator.watches import repository
from orchestrator.watches.cases import case_label, identified
from orchestrator.watches.schemas import LeftOutCase, WatchedCase
from orchestrator.watches.sentences import FAILED, left_out_words, lost_words, other_measures_words, withdrawn_words

_WITHDRAWN = f"Its results are {WITHDRAWN}."
_ALWAYS_FAILED = "No verified result, and none in former runs: its executions failed, or results are wrong."
_MISSING = "The run has no such case, unlike former runs of the same plan."
_SELECTING = ("agents", "architectures", "requires", "toolchains", "libraries", "matrix")
"""Keys of a plan that select its cases from what the agents offer."""


@dataclass(frozen=True)
class ComparedRun:
    """A run with the cases that have a value in it."""

    run_id: str
    keys: Mapping[str, object]
    """The order is that in which cases are named."""
    plan: Mapping[str, Any] | None
    """None for a deleted run whose plan is not known."""

    @classmethod
    def of(cls, session: Session, run_id: str, keys: Mapping[str, object]) -> "ComparedRun":
        """Return a run with its plan."""
        run = get_run(session, run_id)
        return cls(run_id, keys, None if run is None else run.plan)

    def selects_as(self, other: "ComparedRun") -> bool:
        """Return whether both plans are known, and select the same cases from what the agents offer."""
        own, others = self.plan, other.plan
        return own is not None and others is not None and all(own.get(key) == others.get(key) for key in _SELECTING)


@dataclass
class LeftOut:
    """Cases that are not compared."""

    withdrawn: list[WatchedCase]
    """Planned cases of distrusted agents."""
    lost: list[LeftOutCase]
    """Cases that former runs have, and that failed, had a wrong result or were omitted."""
    others: list[LeftOutCase]
    """Cases and omitted combinations of which the former runs have no result either, and cases that are missing."""
    former_keys: set[str] = field(default_factory=set)
    """Keys of the lost and the missing cases, which former runs have."""
    other_measures: str = ""
    """How many cases have other measures only, as a sentence; empty for none."""

    @property
    def every(self) -> list[LeftOutCase]:
        """All but the lost ones."""
        withdrawn = [LeftOutCase(case_words=case_label(one), reason=_WITHDRAWN) for one in self.withdrawn]
        return [*withdrawn, *self.others]

    @property
    def withdrawn_words(self) -> str:
        """Which cases of distrusted agents are left out, as a sentence; empty for none."""
        return withdrawn_words([case.agent_name for case in self.withdrawn])

    @property
    def words(self) -> str:
        """Which cases are left out, and why, as sentences; empty for none."""
        found = [lost_words(self.lost), self.withdrawn_words, left_out_words(self.others), self.other_measures]
        return " ".join(filter(None, found))


def left_out(
    session: Session,
    run: ComparedRun,
    measure: RankingMeasure,
    former: Sequence[ComparedRun],
    known: Mapping[str, WatchedCase],
) -> LeftOut:
    """Return the cases that a run has no value of although it, or a former run of the same plan, planned them.

    known: cases by key; those of former runs that are not deleted are read if they are missing.
    """
    distrusted = distrusted_agents(session)
    planned = identified(planned_cases(session, run.run_id))
    had = {key for one in former for key in one.keys}
    lost, others, former_keys, unlike = [], [], set(), 0
    verified = identified(verified_cases(session, run.run_id))
    for key, case in planned.items():
        if key in run.keys or case.agent_id in distrusted:
            continue
        if key in had:
            lost.append(LeftOutCase(case_words=case_label(case), reason=FAILED))
            former_keys.add(key)
        elif _has_measure(case, measure):
            reason = f"No reading of {measure}." if key in verified else _ALWAYS_FAILED
            others.append(LeftOutCase(case_words=case_label(case), reason=reason))
        else:
            unlike += 1
    omissions = repository.omissions_of(session, [run.run_id])
    explaining: set[int] = set()
    for key, case in _missing(session, run, former, known, planned):
        if case.agent_id in distrusted:
            continue
        former_keys.add(key)
        found = next((one for one, _ in omissions if _covers(one, case)), None)
        if found is None:
            others.append(LeftOutCase(case_words=case_label(case), reason=_MISSING))
        else:
            lost.append(LeftOutCase(case_words=case_label(case), reason=found.reason))
            explaining.add(found.id)
    others += _new_omissions(session, omissions, former, explaining)
    withdrawn = [case for case in planned.values() if case.agent_id in distrusted]
    return LeftOut(withdrawn, lost, others, former_keys, other_measures_words(unlike, measure))


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


def _missing(
    session: Session,
    run: ComparedRun,
    former: Sequence[ComparedRun],
    known: Mapping[str, WatchedCase],
    planned: Collection[str],
) -> Iterator[tuple[str, WatchedCase]]:
    """Yield the cases that former runs of the same plan have, and that a run did not plan, with their keys."""
    seen = set(planned)
    for one in former:
        absent = [key for key in one.keys if key not in seen] if one.selects_as(run) else []
        if not known.keys() >= set(absent):
            known = {**identified(planned_cases(session, one.run_id)), **known}
        for key in absent:
            if key in known:
                seen.add(key)
                yield key, known[key]


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
    former: Sequence[ComparedRun],
    explaining: Collection[int],
) -> Iterator[LeftOutCase]:
    """Yield the combinations that were omitted, and that every former run has or never planned.

    A pattern of a plan such as * always omits some: what a former run omitted as well is no difference to it.
    """
    stored = [run.run_id for run in former if get_run(session, run.run_id) is not None]
    known = {_combination(one) for one, _ in repository.omissions_of(session, stored)}
    for one, agent in omissions if stored else ():
        if one.id not in explaining and _combination(one) not in known:
            names = " ".join(filter(None, (one.provider, one.algorithm, one.variant))) or "every case"
            yield LeftOutCase(case_words=f"{names}, on {agent}", reason=one.reason)


def _combination(one: Omission) -> tuple[str | None, ...]:
    return one.agent_id, one.provider, one.algorithm, one.variant
