"""Comparison of an imported series with the cases of a run, or with series of another import.

Nothing is ranked and no verdict given: the sides share no blocks, and neither scope nor correctness of an import is
known. Rows are in the order of their names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Import, ImportedSeries
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.service import measured_side, require_runs
from orchestrator.results.comparisons.sides import MeasuredCase, parse_side
from orchestrator.results.imports import readings, repository
from orchestrator.results.imports.document import IMPORT_PREFIX, Statistic, Unit, independent
from orchestrator.results.imports.formats import find_format
from orchestrator.results.imports.schemas import (
    NOT_VERIFIED,
    ImportComparison,
    ImportComparisonRow,
    ImportComparisonSide,
)
from orchestrator.results.imports.service import series_summary, summary_of
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.results.schemas import Interval
from orchestrator.shared.errors import Conflict, InvalidRequest
from orchestrator.statistics.comparisons.two_sample import compare_samples
from orchestrator.wire.messages import operation_label

_METHOD = (
    "Unpaired: intervals (Yuen, trimmed means of logarithms, at least 6 readings of each side) cover the variation of "
    "the readings, not what differs between machines, builds, inputs and tools. No ranking and no verdict follows."
)


@dataclass(frozen=True)
class ImportComparisonQuery:
    """Side that an imported series is compared with, and its rows."""

    other: str
    """A run, a part of it, or ``import:ID``."""
    measure: RankingMeasure | None = None
    text: str | None = None
    """Part of the names of the rows."""
    rows: int = 500


@dataclass(frozen=True)
class _Sample:
    """One row before its comparison."""

    name: str
    details: list[str]
    value: float
    statistic: Statistic
    n: int | None
    apart: Sequence[float]
    """Independent readings; empty: there are none."""
    imported: bool
    length_bytes: int | None
    reason: str = ""
    """Why there are no readings."""


@dataclass(frozen=True)
class _Other:
    """Everything that the series is compared with."""

    side: ImportComparisonSide
    samples: list[_Sample]
    measures: list[str]
    remarks: list[str]
    dispersions: Sequence[str] = ()
    """What the dispersion of its readings covers."""


def compare(
    database: Database, cache: ReadingsCache, import_id: str, position: int, selection: ImportComparisonQuery
) -> ImportComparison:
    """Return an imported series next to the cases of a run, or to the series of another import, in the same unit.

    Raises NotFound; InvalidRequest for a side or a measure that does not exist; Conflict if the units differ.
    """
    with database.read() as session:
        own = repository.require_import(session, import_id)
        row = repository.require_series(session, import_id, position)
        if not row.unit:
            raise Conflict(
                f"Series {position} of import {import_id} ({row.quantity}) has no unit in its file.",
                remedy="Compare a series with a unit: ciphermark imports show lists them.",
            )
    if selection.other.startswith(IMPORT_PREFIX):
        found = _other_import(database, row, selection)
    else:
        found = _run(database, cache, row, selection)
    first = _sample(row, find_format(own.format).TITLE)
    text = (selection.text or "").lower()
    chosen = [one for one in found.samples if text in " ".join((one.name, *one.details)).lower()]
    if not chosen:
        raise Conflict(
            f"Nothing of {found.side.kind} {found.side.id} contains {text!r} in its name.",
            remedy="Search for another text, or for none.",
            field="q",
        )
    chosen.sort(key=lambda one: (one.name, one.length_bytes or 0, one.details))
    return ImportComparison(
        first=summary_of(own),
        series=series_summary(row),
        other=found.side,
        measures=found.measures,
        remarks=[NOT_VERIFIED, *_scopes(own, found.side), *_limits(row, found), *found.remarks],
        method=" ".join(dict.fromkeys((_METHOD, find_format(own.format).DISPERSION, *found.dispersions))),
        rows=[_row(first, one) for one in chosen[: selection.rows]],
        rows_total=len(chosen),
    )


def _run(database: Database, cache: ReadingsCache, row: ImportedSeries, selection: ImportComparisonQuery) -> _Other:
    """Return the cases of a run by a measure in the unit of the series."""
    name = parse_side(selection.other)
    require_runs(database, [name])
    has = cache.get(name.run_id).measures()
    measures = [one for one in has if _unit_of(one) == row.unit]
    if not measures:
        raise Conflict(
            f"The imported series ({row.quantity}) is in {row.unit}, and run {name.run_id} has no measure in it: "
            f"it has {', '.join(one for one in has if not MEASURES[one].exact)[:200] or 'no results'}.",
            remedy="Choose a series in the unit of the run, or another run.",
            field="series",
        )
    measure = selection.measure or measures[0]
    if measure not in measures:
        raise InvalidRequest(
            f"{measure} of the run is not in {row.unit}, the unit of the series.",
            remedy=f"Use {', '.join(measures)}.",
            field="measure",
        )
    values = cache.get(name.run_id, measure=measure)
    with database.read() as session:
        side = measured_side(session, name, values, measure)
    facts = MEASURES[measure]
    shown = ImportComparisonSide(
        kind="run",
        id=name.label,
        name=side.run.name,
        quantity=facts.title,
        scope=f"{facts.title.capitalize()}, measured and verified by Ciphermark.",
    )
    return _Other(shown, [_sample_of_case(case) for case in side.cases], list(measures), [])


def _other_import(database: Database, row: ImportedSeries, selection: ImportComparisonQuery) -> _Other:
    """Return the series of another import, or of the same one, in the unit of the series."""
    import_id = selection.other.removeprefix(IMPORT_PREFIX)
    if selection.measure is not None:
        raise InvalidRequest(
            "An import has no measures.", remedy="Leave the measure out, or compare with a run.", field="measure"
        )
    with database.read() as session:
        other = repository.require_import(session, import_id)
        tool = find_format(other.format)
        series = _series_in_unit(session, other, row)
        samples = [_sample(one, tool.TITLE) for one in series]
    if not samples:
        raise Conflict(
            f"Import {import_id} has no other series in {row.unit}, the unit of {row.quantity} in the first one.",
            remedy="Choose a series in a unit that both have.",
            field="series",
        )
    side = ImportComparisonSide(
        kind="import",
        id=import_id,
        name=other.name,
        quantity=", ".join(sorted({one.quantity for one in series})[:5]),
        scope=tool.SCOPE,
    )
    remarks = ["The other side is imported, too: nothing of either side was verified."]
    return _Other(side, samples, [], remarks, [tool.DISPERSION])


def _series_in_unit(session: Session, other: Import, row: ImportedSeries) -> list[ImportedSeries]:
    found = repository.list_series(session, other.id, None, 0, other.series_total)
    return [one for one in found if one.unit == row.unit and one.id != row.id]


def _unit_of(measure: RankingMeasure) -> Unit | None:
    """Return the unit of a measure as imports have it; None for one without readings."""
    if MEASURES[measure].exact:
        return None
    unit = MEASURES[measure].unit
    return cast(Unit, unit) if unit in ("ns", "bytes", "bytes/s") else None


def _sample(row: ImportedSeries, tool: str) -> _Sample:
    values = [] if row.readings is None else independent(readings.decode(row.readings), row.processes)
    return _Sample(
        name=row.name,
        details=[f"{row.quantity} ({tool})", *(f"{name} {value}" for name, value in row.facts.items())][:6],
        value=row.value,
        statistic=cast(Statistic, row.statistic),
        n=row.n,
        apart=values,
        imported=True,
        length_bytes=None,
        reason=row.absent_because.get("readings", ""),
    )


def _sample_of_case(case: MeasuredCase) -> _Sample:
    candidate, given = case.candidate, case.given
    values = case.readings[np.isfinite(case.readings)]
    call = f"{operation_label(given.operation)} {'with key setup' if given.key_setup == 'included' else ''}".strip()
    copy = f" (copy {candidate.copy})" if candidate.copy > 1 else ""
    return _Sample(
        name=f"{candidate.algorithm} by {candidate.provider} {candidate.form.label(candidate.variant)}{copy}",
        details=[part for part in (case.agent, case.toolchain, call, given.kind) if part],
        value=float(np.median(values)),
        statistic="median",
        n=len(values),
        apart=[float(value) for value in values],
        imported=False,
        length_bytes=given.length_bytes,
    )


def _row(first: _Sample, one: _Sample) -> ImportComparisonRow:
    """Return a row with its ratio to the first sample; a ratio of a value that is 0 does not exist."""
    reasons = {}
    ratio, interval = None, None
    positive = [[value for value in side.apart if value > 0] for side in (one, first)]
    complete = all(len(some) == len(side.apart) for some, side in zip(positive, (one, first), strict=True))
    if all(positive) and complete:
        found = compare_samples(np.array(positive[0]), np.array(positive[1]))
        ratio = found.ratio
        interval = Interval.of(found.interval)
        reasons["interval"] = "An interval needs 6 readings of each side, or 6 processes where they are distinguished."
    elif one.value > 0 and first.value > 0:
        ratio = one.value / first.value
        reasons["interval"] = one.reason or first.reason or "A side has readings of 0."
    else:
        reasons |= dict.fromkeys(("ratio", "interval"), "A value is 0.")
    if interval is not None:
        reasons.pop("interval")
    if one.n is None:
        reasons["n"] = one.reason
    if one.length_bytes is None:
        reasons["length_bytes"] = "The import has no input length."
    return ImportComparisonRow(
        name=one.name,
        details=one.details,
        imported=one.imported,
        length_bytes=one.length_bytes,
        value=one.value,
        statistic=one.statistic,
        n=one.n,
        ratio=ratio,
        interval=interval,
        absent_because=reasons,
    )


def _scopes(own: Import, other: ImportComparisonSide) -> list[str]:
    """Return what a reading of each side covers."""
    tool = find_format(own.format)
    return [f"One reading of {tool.TITLE}: {tool.SCOPE}", f"One reading of the other side: {other.scope}"]


def _limits(row: ImportedSeries, found: _Other) -> list[str]:
    """Return remarks about lengths and statistics."""
    remarks = [
        *row.remarks,
        "The import has no input length: compare it with cases of the length that it was measured with.",
    ]
    if any(one.statistic != row.statistic for one in found.samples):
        remarks.append(f"The imported figure is a {row.statistic}; some rows have another statistic.")
    return remarks
