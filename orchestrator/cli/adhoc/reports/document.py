"""Results of a series as a JSON document, and as CSV with one row per execution."""

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC
from typing import Any

from orchestrator import __version__
from orchestrator.cli.adhoc.comparison import Standing
from orchestrator.cli.adhoc.program import EXITED
from orchestrator.cli.adhoc.series import ProgramExecution, ProgramSeries, SeriesPlan
from orchestrator.cli.adhoc.summary import Summary

FORMAT = 1
"""Version of the format; it is raised when a name changes its meaning or is removed."""


@dataclass(frozen=True)
class Results:
    """Series with its conclusions."""

    plan: SeriesPlan
    series: ProgramSeries
    core: int | None
    """Core to which the programs were pinned; None if the kernel chose."""
    summaries: tuple[Summary, ...]
    """Summaries by program."""
    standings: tuple[Standing, ...]
    """Ranking from fastest to slowest; empty for one program."""
    noise_floor: float | None
    """Noise floor from the two copies of the first program: 0.01 is 1 %."""
    remarks: tuple[str, ...]
    """Remarks on the reliability of the figures."""

    @property
    def names(self) -> list[str]:
        """Names of the programs, in the given order."""
        return [program.name for program in self.plan.programs]


def as_document(results: Results, *, curves: bool) -> dict[str, Any]:
    """Return the JSON document, whose names include the units; curves: include the samples of each execution."""
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
        "precision": asdict(plan.precision) if plan.rounds is None else None,
        "noise_floor_relative": results.noise_floor,
        "reference": None if plan.reference is None else results.names[plan.reference],
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
        "control": place == results.plan.control,
        "shell_start": place == results.plan.shell,
        "parameters": dict(program.values),
        "summary": {name: value for name, value in asdict(summary).items() if name != "outliers"}
        | {"outliers": sum(summary.outliers)},
        "executions": [
            _execution(one, outlier=next(timed) if one.purpose == "timing" else None)
            | ({"curve": one.measurement.curve and asdict(one.measurement.curve)} if curves else {})
            for one in executions
        ],
    }


def _execution(one: ProgramExecution, outlier: bool | None) -> dict[str, Any]:
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


_FIRST = ("program", "purpose", "round", "position", "started_at", "process_wall_ns", "exit_code", "signal", "outlier")


def as_rows(document: dict[str, Any]) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns and rows of the CSV: executions in the order of time, readings as columns."""
    programs = document["programs"]
    executions = [{"program": program["name"], **one} for program in programs for one in program["executions"]]
    executions.sort(key=lambda one: one["position"])
    names = sorted({name for one in executions for name in one["readings"]})
    rows = (
        [*(one[name] for name in _FIRST), " ".join(one["marks"]), *map(one["readings"].get, names), one["absent"]]
        for one in executions
    )
    return [*_FIRST, "marks", *names, "absent"], rows
