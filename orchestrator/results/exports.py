"""Every execution of a run as rows for the exporters, read piece by piece so that memory stays flat."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Build, Case, Execution, Footprint, Run
from orchestrator.errors import NotFound
from orchestrator.exporters import Cell
from orchestrator.metrics.registry import registry
from orchestrator.results.answers.ranking import NO_FOOTPRINT
from orchestrator.results.summaries import throughput
from orchestrator.wire.builds import Toolchain

_ROWS_A_PIECE = 1000

_CASE = (
    Case.run_id, Case.number, Case.agent_id, Agent.name, Build.build_key, Build.compiler_version, Case.protocol,
    Case.operation, Case.provider, Case.algorithm, Case.variant, Case.copy, Case.input_kind, Case.input_sha256,
    Case.message_bytes,
    Case.associated_data_bytes, Case.fill, Case.key_fill, Case.key_setup, Case.timings, Case.min_timing_ms,
    Case.shares, Case.masking, Case.generator, Case.language_version,
)  # fmt: skip
_EXECUTION = (
    Execution.id, Execution.repetition, Execution.purpose, Execution.position, Execution.state, Execution.attempt,
    Execution.inventory_id, Execution.started_at, Execution.work_wall_ns, Execution.process_wall_ns,
    Execution.key_setup_wall_ns, Execution.encrypt_wall_ns, Execution.decrypt_wall_ns, Execution.work_cpu_ns,
    Execution.call_wall_ns, Execution.call_cpu_ns, Execution.peak_rss_bytes, Execution.ciphertext_sha256,
    Execution.disturbed,
)  # fmt: skip
_FOOTPRINT = (
    Footprint.code_bytes, Footprint.static_ram_bytes, Footprint.context_bytes, Footprint.key_setup_stack_bytes,
    Footprint.encrypt_stack_bytes, Footprint.decrypt_stack_bytes,
)  # fmt: skip
_BESIDE = (Build.toolchain, Footprint.reason, Execution.readings, Execution.failure)
"""Documents that other cells are taken from."""
_NAMES = {"number": "case_number", "name": "agent_name", "id": "execution_id"}


def columns() -> tuple[str, ...]:
    """Return the names of the columns; every reading of the metrics registry has its own."""
    fixed = [_NAMES.get(column.key, column.key) for column in (*_CASE, *_EXECUTION, *_FOOTPRINT)]
    derived = ["toolchain", "throughput_bytes_per_second", "pass_throughput_bytes_per_second"]
    return (*fixed, *derived, *_reading_names(), "disturbances", "failure_error", "failure_detail", "absent_because")


def rows_of_run(database: Database, run_id: str) -> Iterator[Sequence[Cell]]:
    """Return the rows of a run in the order of its cases and repetitions; raises NotFound before the first."""
    with database.read() as session:
        if session.get(Run, run_id) is None:
            raise NotFound(f"There is no run {run_id[:40]!r}.", remedy="List them: ciphermark runs list.")
    return _rows(database, run_id)


def _rows(database: Database, run_id: str) -> Iterator[Sequence[Cell]]:
    query = (
        select(*_CASE, *_EXECUTION, *_FOOTPRINT, *_BESIDE)
        .select_from(Case)
        .join(Execution, Execution.case_id == Case.id)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .outerjoin(
            Footprint,
            (Footprint.build_id == Case.build_id)
            & (Footprint.provider == Case.provider)
            & (Footprint.algorithm == Case.algorithm)
            & (Footprint.variant == Case.variant),
        )
        .where(Case.run_id == run_id)
        .order_by(Case.number, Execution.repetition, Execution.purpose)
        .execution_options(yield_per=_ROWS_A_PIECE)
    )
    names = _reading_names()
    with database.read() as session:
        for row in session.execute(query):
            yield _cells(row._mapping, tuple(row), names)


def _cells(execution: Mapping[Any, Any], values: tuple[Any, ...], names: Sequence[str]) -> Sequence[Cell]:
    readings = execution[Execution.readings] or {}
    failure = execution[Execution.failure] or {}
    message_bytes = execution[Case.message_bytes]
    return (
        *(value.isoformat() if isinstance(value, datetime) else value for value in values[: -len(_BESIDE)]),
        Toolchain.model_validate(execution[Build.toolchain]).words,
        throughput(message_bytes, execution[Execution.encrypt_wall_ns]),
        throughput(message_bytes, execution[Execution.work_wall_ns]),
        *(readings.get(name) for name in names),
        " ".join(readings.get("disturbances", ())) or None,
        failure.get("error"),
        failure.get("detail"),
        _reasons(execution),
    )


def _reasons(execution: Mapping[Any, Any]) -> dict[str, str]:
    """Return why values of this row are absent: by name, and for the whole row where it has no result."""
    absent = (execution[Execution.readings] or {}).get("absent")
    reasons = {str(name): str(reason) for name, reason in absent.items()} if isinstance(absent, dict) else {}
    if any(execution[column] is None for column in _FOOTPRINT):
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
