"""A case of a job as what the instrument executes."""

from pathlib import Path

from orchestrator.measurement.runner.commands import LatencyCommand, ProcessCommand
from orchestrator.wire.jobs import JobMessage, LatencyCase, ProcessCase


def process_command(job: JobMessage, case: ProcessCase, program: Path, chunk: Path) -> ProcessCommand:
    """Return one ``process`` (or ``noop``) over a chunk."""
    return ProcessCommand(
        program=program,
        provider=case.provider,
        algorithm=case.algorithm,
        variant=case.variant,
        timeout_seconds=job.timeout_seconds,
        output_limit_bytes=job.output_limit_bytes,
        input_file=chunk,
        input_bytes=case.chunk_bytes,
    )


def latency_command(job: JobMessage, case: LatencyCase, program: Path) -> LatencyCommand:
    """Return one ``latency``."""
    return LatencyCommand(
        program=program,
        provider=case.provider,
        algorithm=case.algorithm,
        variant=case.variant,
        timeout_seconds=job.timeout_seconds,
        output_limit_bytes=job.output_limit_bytes,
        operation=case.operation,
        message_bytes=case.message_bytes,
        associated_data_bytes=case.associated_data_bytes,
        fill=case.fill,
        key_fill=case.key_fill,
        key_setup=case.key_setup,
        timings=case.timings,
        min_timing_ms=case.min_timing_ms,
    )
