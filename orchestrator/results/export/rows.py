"""Rows and columns of the export, read in pieces so that memory use is constant."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Case, Execution, ExpectedDigest, Footprint
from orchestrator.results.answers.agents import NO_FOOTPRINT
from orchestrator.results.case_statistics import throughput
from orchestrator.results.digests.verdicts import vouched_by
from orchestrator.results.export.facts import column_facts, of_metric, stack_facts
from orchestrator.results.export.repository import (
    CASE_COLUMNS,
    EXECUTION_COLUMNS,
    FOOTPRINT_COLUMNS,
    SOURCE_COLUMNS,
    measured_operations,
    stream_executions,
)
from orchestrator.runs.planning.patterns import suggestion
from orchestrator.runs.repository import require_run
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.exporters import Cell, ColumnFacts
from orchestrator.wire.base import NOOP
from orchestrator.wire.builds import build_words, stack_column, stack_columns
from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of
from orchestrator.wire.metrics.phases import further_metrics
from orchestrator.wire.metrics.registry import Metric, registry

_NAMES = {"number": "case_number", "name": "agent_name", "id": "execution_id"}


@dataclass(frozen=True)
class RunRows:
    """The executions of a run: names of the columns, and the rows by case and repetition."""

    columns: Sequence[str]
    rows: Iterator[Sequence[Cell]]
    facts: Mapping[str, ColumnFacts]


def columns(further: Sequence[Metric] = (), phases: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the column names; every reading in the metrics registry is a column.

    further: metrics of phases that a cipher does not have. phases: of the measured operations, besides a cipher's.
    """
    fixed = [_NAMES.get(column.key, column.key) for column in (*CASE_COLUMNS, *EXECUTION_COLUMNS, *FOOTPRINT_COLUMNS)]
    fixed += [*_stack_names(phases), "toolchain", "throughput_bytes_per_second", "pass_throughput_bytes_per_second"]
    return (*fixed, *_wall_names(further), *_reading_names(further), "disturbances", "failure_error",
            "failure_detail", "vouched_by", "withdrawn", "absent_because")  # fmt: skip


def rows_of_run(database: Database, run_id: str, names: Sequence[str] = ()) -> RunRows:
    """Return the chosen columns of a run's executions in the order of the names.

    names: columns of the export; empty: all. Raises NotFound, and InvalidRequest for an unknown column, before the
    first row.
    """
    with database.read() as session:
        require_run(session, run_id)
        measured = measured_operations(session, run_id)
    further = further_metrics(phase for protocol, one in measured if protocol == "process" for phase in phases_of(one))
    phases = [phase for _, one in measured for phase in phases_of(one)]
    known, rows = columns(further, phases), _rows(database, run_id, further, phases)
    facts = {**column_facts(), **stack_facts(phases), **{metric.name: of_metric(metric) for metric in further}}
    for name in names:
        if name not in known:
            raise InvalidRequest(
                f"The export has no column {name!r}.", remedy=suggestion(name, known), field="column", seen=name
            )
    if not names:
        return RunRows(known, rows, facts)
    places = [known.index(name) for name in names]
    return RunRows(names, (tuple(row[place] for place in places) for row in rows), facts)


def _rows(
    database: Database, run_id: str, further: Sequence[Metric], phases: Sequence[str]
) -> Iterator[Sequence[Cell]]:
    names = _ComputedColumns(_stack_names(phases), _wall_names(further), _reading_names(further))
    with database.read() as session:
        for row in stream_executions(session, run_id):
            yield _cells(row._mapping, tuple(row), names)


class _ComputedColumns(NamedTuple):
    stacks: Sequence[str]
    walls: Sequence[str]
    readings: Sequence[str]


def _cells(execution: Mapping[Any, Any], values: tuple[Any, ...], names: _ComputedColumns) -> Sequence[Cell]:
    readings = execution[Execution.readings] or {}
    times = {f"{phase}_wall_ns": wall_ns for phase, wall_ns in (execution[Execution.phase_wall_ns] or {}).items()}
    stacks = stack_columns(execution[Footprint.stack_bytes])
    failure = execution[Execution.failure] or {}
    message_bytes = execution[Case.message_bytes]
    return (
        *(value.isoformat() if isinstance(value, datetime) else value for value in values[: -len(SOURCE_COLUMNS)]),
        *(stacks.get(name) for name in names.stacks),
        build_words(execution[Build.toolchain], execution[Build.cross_built]),
        throughput(message_bytes, _first_with_message(execution)),
        throughput(message_bytes, execution[Execution.work_wall_ns]),
        *(times.get(name) for name in names.walls),
        *(readings.get(name) for name in names.readings),
        " ".join(readings.get("disturbances", ())) or None,
        failure.get("error"),
        failure.get("detail"),
        vouched_by(
            ok=execution[Execution.state] == "ok",
            noop=execution[Case.operation] == NOOP,
            encrypts=execution[Execution.output_sha256] is not None,
            expected=execution[ExpectedDigest.vouched_by],
        ),
        execution[Agent.distrusted_at] is not None,
        _reasons(execution),
    )


def _reasons(execution: Mapping[Any, Any]) -> dict[str, str]:
    """Return the reasons of absent values by name; ``*`` is the reason for a row without a result."""
    absent = (execution[Execution.readings] or {}).get("absent")
    reasons = {str(name): str(reason) for name, reason in absent.items()} if isinstance(absent, dict) else {}
    if any(execution[column] is None for column in (*FOOTPRINT_COLUMNS, Footprint.stack_bytes)):
        why = execution[Footprint.reason]
        reasons["footprint"] = NO_FOOTPRINT.reason if why is None else why
    state = execution[Execution.state]
    if state == "waiting":
        reasons["*"] = "not executed yet"
    elif state in ("failed", "skipped"):
        reasons["*"] = f"{state}: {(execution[Execution.failure] or {}).get('error', 'unknown')}"
    return reasons


def _first_with_message(execution: Mapping[Any, Any]) -> int | None:
    """Return the time of the first phase that processes the input."""
    with_message = phases_of(execution[Case.message_operations])
    times = execution[Execution.phase_wall_ns] or {}
    return next((wall_ns for phase, wall_ns in times.items() if phase in with_message), None)


def _stack_names(phases: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stack_column(phase) for phase in (*phases_of(CIPHER_SEQUENCE), *phases)))


def _wall_names(further: Iterable[Metric]) -> tuple[str, ...]:
    of_cipher = (f"{phase}_wall_ns" for phase in phases_of(CIPHER_SEQUENCE))
    return (*of_cipher, *(metric.name for metric in further if metric.column))


def _reading_names(further: Iterable[Metric]) -> tuple[str, ...]:
    return tuple(sorted(metric.name for metric in (*registry().values(), *further) if not metric.column))
