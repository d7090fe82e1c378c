"""Imported series as sides of a comparison of runs.

They are added to a finished comparison, so that they change none of its results. They have no verdict and belong to no
correction: scope, machine, build, inputs and correctness of an import are not known.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Import, ImportedSeries
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.choices.schemas import SideChoices
from orchestrator.results.comparisons.schemas import (
    MAX_SIDES,
    MIN_SIDES,
    ComparisonPart,
    ComparisonRow,
    ComparisonSide,
    RunComparison,
)
from orchestrator.results.comparisons.service import Source, compare_runs, measured_side
from orchestrator.results.comparisons.sides import SYNTAX, MeasuredCase, parse_side
from orchestrator.results.freshness.service import catch_up
from orchestrator.results.imports import readings, repository
from orchestrator.results.imports.document import IMPORT_PREFIX, independent
from orchestrator.results.imports.formats import find_format
from orchestrator.results.imports.schemas import NOT_VERIFIED
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.results.schemas import Interval
from orchestrator.shared.errors import Conflict, InvalidRequest
from orchestrator.statistics.comparisons.two_sample import Sample

_NAME = re.compile(rf"{IMPORT_PREFIX}(?P<id>[A-Za-z0-9_-]{{1,40}})/(?P<position>[0-9]{{1,9}})")
_METHOD = (
    "Intervals (Yuen, trimmed means of logarithms, at least 6 readings of each side, all above 0) cover the variation "
    "of the readings, not what differs between machines, builds, inputs and tools. The import has no input length: "
    "look at the cases of the length that it was measured with."
)


@dataclass(frozen=True)
class _Imported:
    """A series that is a side."""

    label: str
    file: Import
    series: ImportedSeries

    @property
    def title(self) -> str:
        """Name, quantity and tool: ``sha256-64, wall time (pyperf)``."""
        return f"{self.series.name}, {self.series.quantity} ({find_format(self.file.format).TITLE})"

    @cached_property
    def sample(self) -> Sample | None:
        """Readings that are independent of each other, sorted once for all rows; None unless all are positive."""
        stored = self.series.readings
        found = np.array([] if stored is None else independent(readings.decode(stored), self.series.processes))
        return Sample.of(found) if len(found) and (found > 0).all() else None


def catch_up_sides(database: Database, names: Sequence[str]) -> None:
    """Include the changes of the runs that these sides name, before the transaction of `compare`."""
    runs = (parse_side(name).run_id for name in names if not name.startswith(IMPORT_PREFIX))
    for run_id in dict.fromkeys(runs):
        catch_up(database, run_id)


def compare(
    session: Session, cache: ReadingsCache, names: Sequence[str], measure: RankingMeasure | None, rows: int
) -> RunComparison:
    """Return how the runs compare with the first one, and then the cases of the first one next to imported series.

    names: 2 to 8 texts of parse_side, or ``import:ID/SERIES`` in any place but with one run at least. Raises as
    compare_runs, and Conflict for a series that no measure of the runs has the unit of.
    """
    if not MIN_SIDES <= len(names) <= MAX_SIDES:
        raise InvalidRequest(
            f"A comparison has {MIN_SIDES} to {MAX_SIDES} sides, got {len(names)}.", remedy=SYNTAX, field="run"
        )
    runs = [name for name in names if not name.startswith(IMPORT_PREFIX)]
    if not runs:
        raise InvalidRequest("Imports are compared with a run only.", remedy=SYNTAX, field="run")
    imported = [_find(session, name) for name in names if name.startswith(IMPORT_PREFIX)]
    found = compare_runs(session, cache, runs, measure, rows, units={one.series.unit for one in imported})
    if imported:
        cases = measured_side(Source.of(session, cache, runs[0]), found.measure).cases
        found.parts.extend(_part(one, cases, found.measure, rows) for one in imported)
    return found


def get_choices(session: Session, name: str) -> SideChoices:
    """Return an imported series as a side that was chosen: nothing narrows it. Raises InvalidRequest and NotFound."""
    found = _find(session, name)
    at = found.file.imported_at
    return SideChoices(
        label=name, run_id=name, run_name=found.title, submitted_at=at, cases=0, properties=[], imported=True
    )


def _find(session: Session, name: str) -> _Imported:
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise InvalidRequest(
            f"{name[:80]!r} names no series of an import.",
            remedy=f"Write {IMPORT_PREFIX}ID/SERIES, as in: ciphermark imports show ID.",
            field="run",
        )
    series = repository.require_series(session, parts["id"], int(parts["position"]))
    found = _Imported(name, repository.require_import(session, parts["id"]), series)
    problem = "has no unit in its file" if not series.unit else "" if series.value > 0 else "is 0, which has no ratio"
    if problem:
        raise Conflict(
            f"Series {series.position} of import {found.file.id} ({series.quantity}) {problem}.",
            remedy="Compare another series: ciphermark imports show lists them.",
            field="run",
        )
    return found


def _part(one: _Imported, cases: Sequence[MeasuredCase], measure: RankingMeasure, limit: int) -> ComparisonPart:
    """Return the cases of a run next to an imported series, in the order of their names."""
    tool, series = find_format(one.file.format), one.series
    ordered = sorted(cases, key=lambda case: (case.candidate.algorithm, case.candidate.provider, case.given))
    method = [
        f"One reading of {tool.TITLE}: {tool.SCOPE}",
        f"One reading of the run: {MEASURES[measure].title}, measured and verified by Ciphermark.",
        *series.remarks,
        *([] if series.statistic == "median" else [f"The imported figure is a {series.statistic}."]),
        *([] if series.readings is not None else [series.absent_because["readings"]]),
        _METHOD,
        tool.DISPERSION,
    ]
    return ComparisonPart(
        other=ComparisonSide(
            label=one.label,
            title=one.title,
            run_id=one.file.id,
            run_name=one.file.name,
            submitted_at=one.file.imported_at,
            agents=[one.file.device] if one.file.device else [],
            toolchains=[],
            cases=1,
            imported=True,
        ),
        paired="no",
        method=" ".join(method),
        rows=[_row(one, case) for case in ordered[:limit]],
        rows_total=len(cases),
        undecided=len(cases),
        sentence=f"{one.title}. {NOT_VERIFIED} No ranking and no verdict follows.",
    )


def _row(one: _Imported, case: MeasuredCase) -> ComparisonRow:
    own = case.readings[np.isfinite(case.readings)]
    value, series = float(np.median(own)), one.series
    ratio, interval = series.value / value, None
    if one.sample:
        found = one.sample.over(Sample.of(own))
        ratio, interval = found.ratio, Interval.of(found.interval)
    return ComparisonRow(
        agent_name=case.agent,
        other_agent_name=one.file.device or "unknown device",
        **case.fields,
        other_provider=find_format(one.file.format).TITLE,
        other_variant=series.name,
        other_toolchain="unknown",
        value=value,
        other_value=series.value,
        ratio=ratio,
        interval=interval,
        n=len(own),
        other_n=series.n,
        method="imported",
        verdict="undecided",
    )
