"""Statement of the export: every execution of a run with its case, build and footprint."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Case, Execution, ExpectedDigest, Footprint
from orchestrator.results.repository import DIGEST_OF_CASE, FOOTPRINT_OF_CASE

_ROWS_PER_FETCH = 1000

CASE_COLUMNS = (
    Case.run_id, Case.number, Case.agent_id, Agent.name, Build.build_key, Build.compiler_version, Case.protocol,
    Case.operation, Case.provider, Case.algorithm, Case.variant, Case.copy, Case.input_kind, Case.input_sha256,
    Case.message_bytes, Case.associated_data_bytes, Case.fill, Case.key_fill, Case.key_setup, Case.timings,
    Case.min_timing_ms, Case.shares, Case.masking, Case.generator, Case.language_version,
)  # fmt: skip
EXECUTION_COLUMNS = (
    Execution.id, Execution.repetition, Execution.purpose, Execution.position, Execution.state, Execution.attempt,
    Execution.inventory_id, Execution.started_at, Execution.work_wall_ns, Execution.process_wall_ns,
    Execution.work_cpu_ns,
    Execution.call_wall_ns, Execution.call_cpu_ns, Execution.peak_rss_bytes, Execution.output_sha256,
    Execution.disturbed,
)  # fmt: skip
FOOTPRINT_COLUMNS = (Footprint.code_bytes, Footprint.static_ram_bytes, Footprint.context_bytes)
SOURCE_COLUMNS = (
    Footprint.stack_bytes, Build.toolchain, Build.cross_built, Footprint.reason, Execution.phase_wall_ns,
    Execution.readings, Execution.failure, ExpectedDigest.vouched_by, Agent.distrusted_at, Case.message_operations,
)  # fmt: skip
"""Documents from which the remaining cells are computed."""


def measured_operations(session: Session, run_id: str) -> list[tuple[str, str]]:
    """Return the protocols of a run with the operations, or sequences of them, that each measures."""
    found = select(Case.protocol, Case.operation).where(Case.run_id == run_id)
    return [(row[0], row[1]) for row in session.execute(found.distinct().order_by(Case.operation))]


def stream_executions(session: Session, run_id: str) -> Iterator[Any]:
    """Yield the columns above for each execution of a run, by case, repetition and purpose, in constant memory."""
    query = (
        select(*CASE_COLUMNS, *EXECUTION_COLUMNS, *FOOTPRINT_COLUMNS, *SOURCE_COLUMNS)
        .select_from(Case)
        .join(Execution, Execution.case_id == Case.id)
        .join(Agent, Agent.id == Case.agent_id)
        .join(Build, Build.id == Case.build_id)
        .outerjoin(Footprint, FOOTPRINT_OF_CASE)
        .outerjoin(ExpectedDigest, DIGEST_OF_CASE)
        .where(Case.run_id == run_id)
        .order_by(Case.number, Execution.repetition, Execution.purpose)
        .execution_options(yield_per=_ROWS_PER_FETCH)
    )
    yield from session.execute(query)
