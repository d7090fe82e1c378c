"""The scheduler's step for watches: begins due looks, submits their runs, and judges those that ended.

A look is stored before its run is submitted, and each submission has an Idempotency-Key that the look determines. A
scheduler that is killed in between, or a second one, submits nothing twice.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Watch, WatchCase, WatchChange, WatchDelivery, WatchLook, WatchRun, now
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.runs import submission
from orchestrator.runs.planning.plan import read_plan
from orchestrator.runs.repository import get_run
from orchestrator.runs.schemas import RunRequest
from orchestrator.runs.state import ENDED_RUNS, RunState
from orchestrator.service.security import tokens
from orchestrator.service.security.callers import Caller
from orchestrator.service.trust.repository import distrusted_agents
from orchestrator.shared.errors import CiphermarkError, Conflict, InvalidRequest, NotFound
from orchestrator.shared.settings import ServiceSettings
from orchestrator.statistics.comparisons.between_runs import CONFIRMATIONS
from orchestrator.statistics.location import Floats
from orchestrator.watches import repository
from orchestrator.watches.cases import values_table
from orchestrator.watches.judgment import WINDOW, References, by_level, decide, judge_first, remaining
from orchestrator.watches.left_out import ComparedRun, LeftOut, left_out, unconfirmed
from orchestrator.watches.narrowing import narrowed
from orchestrator.watches.regressions import values_of_run
from orchestrator.watches.schemas import LeftOutCase, WatchedCase
from orchestrator.watches.sentences import left_out_words, too_few_words, undecided_words

KEPT_LOOKS = 400
"""Looks of a watch that are kept; older ones are deleted."""
MAX_PAUSE = timedelta(hours=2)
"""Longest pause between two confirmations: the last one begins within 14 hours."""
_PARTS = 12
"""Share of the interval between two looks, as a divisor, after which a confirmation follows another one."""
_MAX_CACHED_BASELINES = 64

_log = structlog.get_logger(__name__)


@dataclass
class Looks:
    """Begins, measures and decides the looks of all watches."""

    database: Database
    settings: ServiceSettings
    cache: ReadingsCache
    _baselines: OrderedDict[tuple[str, str], dict[str, float]] = field(default_factory=OrderedDict)
    """Values of baseline runs by run and measure; they do not change."""

    def has_watches(self) -> bool:
        """Return whether there is a watch to advance."""
        with self.database.read() as session:
            return repository.count_watches(session) > 0

    def advance(self, at: datetime) -> None:
        """Do what is due for every watch; a watch that fails is noted and does not affect the others."""
        with self.database.read() as session:
            watches = {watch.id: watch for watch in repository.list_watches(session)}
        for watch in watches.values():
            if not watch.paused and self._is_due(watch, at):
                self._begin(watch, at)
        with self.database.read() as session:
            looks = repository.open_looks(session)
        for look in looks:
            if look.watch_id in watches:
                self._guarded(watches[look.watch_id], look, at)

    def _is_due(self, watch: Watch, at: datetime) -> bool:
        if watch.due_at is not None:
            # Later than after one interval: the clock was in the future when the watch was due, and was set back.
            return watch.due_at <= at or watch.due_at > at + timedelta(seconds=watch.every_seconds or 0)
        with self.database.read() as session:
            return watch.every_seconds is None and (watch.looks == 0 or repository.has_new_build(session, watch))

    def _begin(self, watch: Watch, at: datetime) -> None:
        """Begin a look, or note why it is skipped."""
        following = next_due(watch, at)
        with self.database.write() as session:
            obstacle = self._obstacle(session, watch)
            if obstacle:
                due = at if watch.due_at is None else watch.due_at
                notice = f"The look that was due at {due:%Y-%m-%d %H:%M} UTC was skipped: {obstacle}"
                repository.note_skipped(session, watch, following, notice, at)
            elif not repository.begin_look(session, watch, following, at):
                return
        if obstacle:
            _log.warning("look skipped", watch=watch.name, reason=obstacle)
            return
        _log.info("look began", watch=watch.name, look=watch.looks + 1)
        with self.database.write() as session:
            repository.delete_part(session, watch.id, before=watch.looks + 1 - KEPT_LOOKS)

    @staticmethod
    def _obstacle(session: Session, watch: Watch) -> str:
        """Return why a look cannot begin; empty if it can."""
        if watch.owner_id is not None and tokens.is_family_revoked(session, watch.owner_id):
            return "the token that added it was revoked. An admin can remove the watch, and add it again."
        unfinished = repository.open_look(session, watch.id)
        if unfinished is not None:
            ids = [run.run_id for run in repository.runs_of_look(session, unfinished.id) if run.state == "open"]
            what = f"run {ids[0]} of" if ids else "the confirmation of"
            return f"{what} look {unfinished.number} has not ended."
        if watch.baseline_run_id is not None and get_run(session, watch.baseline_run_id) is None:
            return (
                f"its baseline, run {watch.baseline_run_id}, was deleted. Remove the watch, and add it with another "
                "baseline or without one."
            )
        tag = watch.baseline_tag
        if tag is not None and not repository.finished_runs_with_tag(session, tag, 1):
            return (
                f"no finished run has the tag {tag!r} of its baseline any more. Tag the runs of a baseline (ciphermark "
                f"runs edit RUN --tag {tag}), or remove the watch."
            )
        return ""

    def _guarded(self, watch: Watch, look: WatchLook, at: datetime) -> None:
        try:
            self._continue(watch, look, at)
        except (InvalidRequest, Conflict, NotFound) as error:
            self._fail(look, str(error))
        except CiphermarkError as error:
            # The disk is full, or the database busy: the next step tries again.
            with self.database.write() as session:
                repository.note(session, watch.id, f"Look {look.number} waits: {error}", at)

    def _fail(self, look: WatchLook, reason: str) -> None:
        with self.database.write() as session:
            repository.move_look(session, look, "failed", reason=reason, decided_at=now())
        _log.warning("look failed", watch_id=look.watch_id, look=look.number, reason=reason)

    def _continue(self, watch: Watch, look: WatchLook, at: datetime) -> None:
        """Do the next thing of a look: submit a run, or judge those that ended."""
        with self.database.read() as session:
            runs = repository.runs_of_look(session, look.id)
        if not runs:
            self._submit(watch, look, 0, watch.plan)
            return
        if runs[-1].state == "open":
            self._end_run(watch, look, runs[-1])
            return
        if look.state == "measuring":
            self._judge_first(watch, look, runs[0])
            return
        pause = min(timedelta(seconds=(watch.every_seconds or 0) / _PARTS), MAX_PAUSE)
        # A look that began in the future began before the clock was set back.
        if len(runs) <= CONFIRMATIONS and look.began_at <= at < look.began_at + len(runs) * pause:
            return
        references = self._references(watch, look)
        new = values_table([repository.numbered(row.values) for row in runs], references.case_ids)
        suspects = remaining(new, references, look.suspects or [])
        if suspects and len(runs) <= CONFIRMATIONS:
            self._submit(watch, look, len(runs), self._narrowed(watch, suspects))
        else:
            self._decide(watch, look, runs, references, suspects)

    def _submit(self, watch: Watch, look: WatchLook, place: int, plan: Mapping[str, Any]) -> None:
        """Submit a run of a look; the plan of its first run must be accepted, confirmations may fail."""
        key = f"watch {watch.id} look {look.number} run {place}"
        run_id, reason = "", ""
        try:
            request = RunRequest(plan=dict(plan))
            owner = Caller("submitter", watch.created_by or f"watch {watch.name}", family_id=watch.owner_id)
            run_id = submission.submit(self.database, self.settings, request, owner, key).run_id
        except InvalidRequest as error:
            if place == 0:
                raise
            reason = str(error)
        with self.database.write() as session:
            repository.add_run(session, look.id, place, run_id, reason)

    def _narrowed(self, watch: Watch, suspects: Sequence[int]) -> dict[str, Any]:
        with self.database.read() as session:
            cases = {case.id: case for case in repository.cases_of(session, watch.id)}
        facts = [_of(cases[one]) for one in suspects]
        return narrowed(watch.plan, read_plan(watch.plan, None).plan, facts)

    def _end_run(self, watch: Watch, look: WatchLook, row: WatchRun) -> None:
        """Store the values of a run that has ended."""
        with self.database.read() as session:
            run = get_run(session, row.run_id)
            state, reason = (run.state, run.reason) if run is not None else ("deleted", "")
        if run is not None and state not in ENDED_RUNS:
            return
        if state != RunState.FINISHED:
            because = f": {reason}" if reason else "."
            self._fail_run(look, row, f"Run {row.run_id} was {state}{because}" if state != RunState.FAILED
                           else f"Run {row.run_id} failed{because}")  # fmt: skip
            return
        try:
            measure, values = values_of_run(self.database, self.cache, row.run_id, watch.measure)
        except Conflict as error:
            self._fail_run(look, row, str(error))
            return
        with self.database.write() as session:
            ids = repository.case_ids(session, watch.id, {one.key: one.facts for one in values})
            repository.end_run(session, row.id, {ids[one.key]: one.value for one in values if one.key in ids})
            repository.set_measure(session, watch.id, measure)

    def _fail_run(self, look: WatchLook, row: WatchRun, reason: str) -> None:
        with self.database.write() as session:
            repository.fail_run(session, row.id, reason)
        if row.place == 0:
            self._fail(look, reason)

    def _judge_first(self, watch: Watch, look: WatchLook, row: WatchRun) -> None:
        """Store the suspects of a look's first run; without any, nothing has changed."""
        references = self._references(watch, look)
        new = values_table([repository.numbered(row.values)], references.case_ids)
        first = judge_first(new[0], references)
        left = self._left_out(watch, look, row)
        if first.detectable is None:
            reason = undecided_words(references.known, first.cases, withdrawn=bool(left.withdrawn))
        else:
            reason = too_few_words(len(first.undecided), first.cases)
        reason = " ".join(filter(None, [reason, left.words]))
        facts = {"measure": watch.measure, "cases": first.cases, "suspects": first.suspects, "reason": reason,
                 "detectable": first.detectable}  # fmt: skip
        with self.database.write() as session:
            decided = {} if first.suspects else {"decided_at": now()}
            if not repository.move_look(session, look, "decided" if decided else "confirming", **facts, **decided):
                return
            if decided and self._is_news(session, watch, look, left):
                session.add_all(_deliveries(watch, look))
            repository.add_level(session, first.recovered, look.number, lasting=False)

    def _decide(
        self, watch: Watch, look: WatchLook, rows: Sequence[WatchRun], references: References, suspects: Sequence[int]
    ) -> None:
        """Report the changes that the confirmations leave."""
        new = values_table([repository.numbered(row.values) for row in rows], references.case_ids)
        rises = MEASURES[cast(RankingMeasure, look.measure)].rises
        found = decide(new, references, suspects, look.cases or 0, rises=rises)
        failed = [row for row in rows if row.state == "failed"]
        lacks = f"{len(failed)} of {len(rows) - 1} confirmations failed: {failed[0].reason}" if failed else ""
        left = self._left_out(watch, look, rows[0])
        # An agent may have lost the trust since the first run was judged.
        withdrawn = "" if left.withdrawn_words in look.reason else left.withdrawn_words
        doubtful = left_out_words(self._unconfirmed(watch, references, new, suspects))
        lacks = " ".join(filter(None, [look.reason, lacks, doubtful, withdrawn]))
        with self.database.write() as session:
            if not repository.move_look(session, look, "decided", decided_at=now(), reason=lacks):
                return
            session.add_all(WatchChange(look_id=look.id, **vars(change)) for change in found)
            repository.add_level(session, [change.case_id for change in found], look.number, lasting=True)
            if found or self._is_news(session, watch, look, left):
                session.add_all(_deliveries(watch, look))
        _log.info("look decided", watch=watch.name, look=look.number, changes=len(found))

    def _unconfirmed(
        self, watch: Watch, references: References, new: Floats, suspects: Sequence[int]
    ) -> list[LeftOutCase]:
        """Return the suspects whose confirmations failed; new: values of all runs of the look."""
        places = {case_id: place for place, case_id in enumerate(references.case_ids)}
        with self.database.read() as session:
            facts = {case.id: _of(case) for case in repository.cases_of(session, watch.id)}
        return list(unconfirmed([facts[one] for one in places], new, [places[one] for one in suspects]))

    def _left_out(self, watch: Watch, look: WatchLook, row: WatchRun) -> LeftOut:
        """Return the cases of a look's first run that are not compared; row: that run."""
        measure = cast(RankingMeasure, watch.measure)
        baseline = self._baseline_runs(watch) or {}
        with self.database.read() as session:
            cases = {case.id: case for case in repository.cases_of(session, watch.id)}

            def keyed(values: Mapping[int, float]) -> dict[str, float]:
                return {cases[case_id].key: value for case_id, value in values.items()}

            looks = repository.former_looks(session, watch.id, measure, look.number, WINDOW)
            former = [ComparedRun.of(session, run_id, values) for run_id, values in baseline.items()]
            # Looks execute the plan of the watch, also those whose runs were deleted since.
            former += [ComparedRun(one.run_id, keyed(one.values), watch.plan) for one in looks]
            own = ComparedRun.of(session, row.run_id, keyed(repository.numbered(row.values)))
            return left_out(session, own, measure, former, {case.key: _of(case) for case in cases.values()})

    @staticmethod
    def _is_news(session: Session, watch: Watch, look: WatchLook, left: LeftOut) -> bool:
        """Return whether the look before still had one of the cases that this one lacks; of the first, its baseline."""
        if look.number == 1:
            return bool(left.former_keys)
        before = repository.former_looks(session, watch.id, watch.measure or "", look.number, 1)
        keys = {case.id: case.key for case in repository.cases_of(session, watch.id)}
        return any(keys[one] in left.former_keys for former in before for one in former.values)

    def _references(self, watch: Watch, look: WatchLook) -> References:
        """Return what the runs of a look are compared with."""
        with self.database.read() as session:
            distrusted = distrusted_agents(session)
            cases = [case for case in repository.cases_of(session, watch.id) if _of(case).agent_id not in distrusted]
            former = repository.former_looks(session, watch.id, watch.measure or "", look.number, WINDOW)
            reported = repository.last_changes(session, watch.id)
        ids = [case.id for case in cases]
        table = values_table([one.values for one in former], ids)
        groups = by_level(table, [one.number for one in former], [case.levels for case in cases])
        baseline = self._baseline_runs(watch)
        if baseline is None:
            return References(ids, groups[0], groups[1:])
        keys = {case.key: case.id for case in cases}
        known = [{keys[key]: one for key, one in values.items() if key in keys} for values in baseline.values()]
        return References(ids, values_table(known, ids), groups, reported)

    def _baseline_runs(self, watch: Watch) -> dict[str, dict[str, float]] | None:
        """Return the values of the baseline's runs by run and key of the case; None for a watch without a baseline."""
        if watch.baseline_run_id is None and watch.baseline_tag is None:
            return None
        ids = [watch.baseline_run_id] if watch.baseline_run_id is not None else []
        if watch.baseline_tag is not None:
            with self.database.read() as session:
                tagged = repository.finished_runs_with_tag(session, watch.baseline_tag, WINDOW)
                ids = [run.id for run in tagged]
        measure = cast(RankingMeasure, watch.measure)
        found = {}
        for run_id in ids:
            try:
                found[run_id] = self._baseline_values(run_id, measure)
            except Conflict:
                # A tag may have runs of other measures and runs that failed.
                if watch.baseline_run_id is not None:
                    raise
        return found

    def _baseline_values(self, run_id: str, measure: RankingMeasure) -> dict[str, float]:
        if (run_id, measure) not in self._baselines:
            _, values = values_of_run(self.database, self.cache, run_id, measure)
            self._baselines[run_id, measure] = {one.key: one.value for one in values}
            while len(self._baselines) > _MAX_CACHED_BASELINES:
                self._baselines.popitem(last=False)
        return self._baselines[run_id, measure]


def _of(case: WatchCase) -> WatchedCase:
    return WatchedCase.model_validate(case.facts)


def _deliveries(watch: Watch, look: WatchLook) -> list[WatchDelivery]:
    """Return the reports of a look, one for each outlet."""
    return [WatchDelivery(look_id=look.id, kind=one["kind"], target=one["target"]) for one in watch.outlets]


def next_due(watch: Watch, at: datetime) -> datetime | None:
    """Return when the look after the one that is due now is due; None for looks after builds.

    Looks that were missed while the scheduler was down are made up for by one.
    """
    if watch.every_seconds is None:
        return None
    interval = timedelta(seconds=watch.every_seconds)
    due = min(watch.due_at or at, at)
    missed = max(0, (at - due) // interval)
    return due + (missed + 1) * interval
