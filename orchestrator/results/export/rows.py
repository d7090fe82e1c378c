"""Rows and columns of the export, read in pieces so that memory use is constant."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Case, Execution, ExpectedDigest, Footprint
from orchestrator.results.answers.agents import NO_FOOTPRINT
from orchestrator.results.case_statistics import throughput
from orchestrator.results.digests.verdicts import vouched_by
from orchestrator.results.export.repository import (
    CASE_COLUMNS,
    EXECUTION_COLUMNS,
    FOOTPRINT_COLUMNS,
    SOURCE_COLUMNS,
    stream_executions,
)
from orchestrator.runs.planning.patterns import suggestion
from orchestrator.runs.repository import require_run
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.exporters import Cell
from orchestrator.wire.base import NOOP
from orchestrator.wire.builds import build_words
from orchestrator.wire.metrics.registry import registry

_NAMES = {"number": "case_number", "name": "agent_name", "id": "execution_id"}


def columns() -> tuple[str, ...]:
    """Return the column names; every reading in the metrics registry is a column."""
    fixed = [_NAMES.get(column.key, column.key) for column in (*CASE_COLUMNS, *EXECUTION_COLUMNS, *FOOTPRINT_COLUMNS)]
    derived = ["toolchain", "throughput_bytes_per_second", "pass_throughput_bytes_per_second"]
    return (*fixed, *derived, *_reading_names(), "disturbances", "failure_error", "failure_detail", "vouched_by",
            "withdrawn", "absent_because")  # fmt: skip


def rows_of_run(database: Database, run_id: str) -> Iterator[Sequence[Cell]]:
    """Return the rows of a run by case and repetition; raises NotFound before the first row."""
    with database.read() as session:
        require_run(session, run_id)
    return _rows(database, run_id)


def selected(rows: Iterator[Sequence[Cell]], names: Sequence[str]) -> tuple[Sequence[str], Iterator[Sequence[Cell]]]:
    """Return the chosen columns and the rows with them, in the order of the names; raises InvalidRequest.

    names: columns of the export; empty: all.
    """
    known = columns()
    for name in names:
        if name not in known:
            raise InvalidRequest(
                f"The export has no column {name!r}.", remedy=suggestion(name, known), field="column", seen=name
            )
    if not names:
        return known, rows
    places = [known.index(name) for name in names]
    return names, (tuple(row[place] for place in places) for row in rows)


def _rows(database: Database, run_id: str) -> Iterator[Sequence[Cell]]:
    names = _reading_names()
    with database.read() as session:
        for row in stream_executions(session, run_id):
            yield _cells(row._mapping, tuple(row), names)


def _cells(execution: Mapping[Any, Any], values: tuple[Any, ...], names: Sequence[str]) -> Sequence[Cell]:
    readings = execution[Execution.readings] or {}
    failure = execution[Execution.failure] or {}
    message_bytes = execution[Case.message_bytes]
    return (
        *(value.isoformat() if isinstance(value, datetime) else value for value in values[: -len(SOURCE_COLUMNS)]),
        build_words(execution[Build.toolchain], execution[Build.cross_built]),
        throughput(message_bytes, execution[Execution.encrypt_wall_ns]),
        throughput(message_bytes, execution[Execution.work_wall_ns]),
        *(readings.get(name) for name in names),
        " ".join(readings.get("disturbances", ())) or None,
        failure.get("error"),
        failure.get("detail"),
        vouched_by(
            ok=execution[Execution.state] == "ok",
            noop=execution[Case.operation] == NOOP,
            encrypts=execution[Execution.ciphertext_sha256] is not None,
            expected=execution[ExpectedDigest.vouched_by],
        ),
        execution[Agent.distrusted_at] is not None,
        _reasons(execution),
    )


def _reasons(execution: Mapping[Any, Any]) -> dict[str, str]:
    """Return the reasons of absent values by name; ``*`` is the reason for a row without a result."""
    absent = (execution[Execution.readings] or {}).get("absent")
    reasons = {str(name): str(reason) for name, reason in absent.items()} if isinstance(absent, dict) else {}
    if any(execution[column] is None for column in FOOTPRINT_COLUMNS):
        why = execution[Footprint.reason]
        reasons["footprint"] = NO_FOOTPRINT.reason if why is None else why
    state = execution[Execution.state]
    if state == "waiting":
        reasons["*"] = "not executed yet"
    elif state in ("failed", "skipped"):
        reasons["*"] = f"{state}: {(execution[Execution.failure] or {}).get('error', 'unknown')}"
    return reasons


def _reading_names() -> tuple[str, ...]:
    return tuple(sorted(name for name, metric in registry().items() if not metric.column))
