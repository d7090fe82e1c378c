"""Everything that a series gave, for programs: a JSON document, and one row of CSV for each execution."""

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC
from typing import Any

from orchestrator import __version__
from orchestrator.adhoc.comparison import Standing
from orchestrator.adhoc.program import EXITED
from orchestrator.adhoc.series import Execution, Series, SeriesPlan
from orchestrator.adhoc.summary import Summary

FORMAT = 1
"""Raised when a name changes its meaning or goes."""


@dataclass(frozen=True)
class Results:
    """A series with everything that was concluded from it."""

    plan: SeriesPlan
    series: Series
    core: int | None
    """The programs were held there; None: the kernel chose."""
    summaries: tuple[Summary, ...]
    """By program."""
    standings: tuple[Standing, ...]
    """From fastest to slowest; empty for one program."""
    control: int | None
    """The program that is a second copy of the first one, compared with it alone."""
    noise_floor: float | None
    """That the two copies of the first program gave: 0.01 is 1 %."""
    remarks: tuple[str, ...]
    """For whoever reads the figures."""

    @property
    def names(self) -> list[str]:
        """The programs' names, in the order in which they were given."""
        return [program.name for program in self.plan.programs]


def as_document(results: Results, *, curves: bool) -> dict[str, Any]:
    """Return the JSON document; units are in the names. curves: with the samples of each execution."""
    plan = results.plan
    return {
        "format": FORMAT,
        "ciphermark": __version__,
        "machine": {"name": platform.node(), "kernel": platform.release(), "processor": platform.machine(),
                    "cores": os.cpu_count()},
        "measured_core": results.core,
        "seed": plan.seed,
        "warm_up_rounds": plan.warm_up_rounds,
        "rounds": max((one.round for one in results.series.executions if one.purpose == "timing"), default=0),
        "stopped": results.series.stopped,
        "precision": plan.precision.model_dump() if plan.rounds is None else None,
        "noise_floor_relative": results.noise_floor,
        "programs": [_program(results, place, curves=curves) for place in range(len(plan.programs))],
        "ranking": [
            asdict(standing) | {"program": results.names[standing.program]} for standing in results.standings
        ],
        "remarks": list(results.remarks),
    }  # fmt: skip


def _program(results: Results, place: int, *, curves: bool) -> dict[str, Any]:
    program, summary = results.plan.programs[place], results.summaries[place]
    executions = [one for one in results.series.executions if one.program == place]
    timed = iter(summary.outliers)
    return {
        "name": program.name,
        "command": program.line.text,
        "words": list(program.line.words),
        "control": place == results.control,
        "summary": {name: value for name, value in asdict(summary).items() if name != "outliers"}
        | {"outliers": sum(summary.outliers)},
        "executions": [
            _execution(one, outlier=next(timed) if one.purpose == "timing" else None)
            | ({"curve": _curve(one)} if curves else {})
            for one in executions
        ],
    }


def _execution(one: Execution, outlier: bool | None) -> dict[str, Any]:
    seen = one.measurement
    return {
        "purpose": one.purpose,
        "round": one.round,
        "position": one.position,
        "started_at": seen.started_at.astimezone(UTC).isoformat(),
        "process_wall_ns": one.wall_ns,
        "exit_code": 0 if seen.failure is None else seen.failure.exit_code,
        "signal": None if seen.failure is None or seen.failure.error == EXITED else seen.failure.signal,
        "outlier": outlier,
        "marks": seen.marks,
        "readings": seen.readings,
        "absent": seen.absent,
    }


def _curve(one: Execution) -> dict[str, Any] | None:
    curve = one.measurement.curve
    return None if curve is None else curve.model_dump(mode="json")


_FIRST = ("program", "purpose", "round", "position", "started_at", "process_wall_ns", "exit_code", "signal", "outlier")


def as_rows(document: dict[str, Any]) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns and rows of the CSV: every execution in the order of time, readings as columns."""
    executions: list[dict[str, Any]] = [
        {"program": program["name"], **one} for program in document["programs"] for one in program["executions"]
    ]
    executions.sort(key=lambda one: one["position"])
    names = sorted({name for one in executions for name in one["readings"]})
    rows = (
        [*(one[name] for name in _FIRST), " ".join(one["marks"]), *_values(one["readings"], names), one["absent"]]
        for one in executions
    )
    return [*_FIRST, "marks", *names, "absent"], rows


def _values(readings: dict[str, Any], names: Sequence[str]) -> list[Any]:
    return [readings.get(name) for name in names]
