"""Executes a job: one execution after the other, in the order the service laid out, each into the journal."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import structlog

from orchestrator.daemon.builds.proved import AdmittedProgram, ProvedBuilds
from orchestrator.daemon.jobs.chunk_cache import ChunkCache, VerifiedChunk, wait_and_provide
from orchestrator.daemon.jobs.commands import latency_command, process_command
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.disk import DiskFull
from orchestrator.daemon.jobs.journal import Journal, key_of
from orchestrator.daemon.jobs.purposes import Measures, measure_for, with_wait
from orchestrator.daemon.jobs.records import RecordContext, record_of, record_of_failure
from orchestrator.daemon.session.status import Status, StopReason
from orchestrator.errors import ChunkDamaged, CiphermarkError, NotFound, Unreachable
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.instrument.waiting import Waited
from orchestrator.measurement.runner.commands import Command
from orchestrator.wire.jobs import JobCase, JobExecution, JobMessage, LatencyCase, ProcessCase
from orchestrator.wire.records import Failure

Outcome = Literal["done"] | StopReason

_RETRY_SECONDS = 2.0
"""Between two looks at a full disk or a silent service."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ExecutorParts:
    """What an executor works with."""

    journal: Journal
    delivery: Delivery
    status: Status
    chunks: ChunkCache
    builds: ProvedBuilds
    new_instrument: Callable[[], Measures]
    """Makes the instrument of one job; its launcher lives as long as the job."""


@dataclass(frozen=True)
class _Ready:
    """A case that can be executed."""

    case: JobCase
    files: tuple[AdmittedProgram | VerifiedChunk, ...]
    """The program, and the chunk where there is one, as they were hashed."""
    command: Command

    def is_unchanged(self) -> bool:
        """Tell whether the files are still those that were hashed."""
        return all(file.is_unchanged() for file in self.files)


class _Stopped(Exception):
    """The job is not wanted any more, or not now."""


class Executor:
    """Executes jobs. A job that arrives again costs nothing but what is missing of it."""

    def __init__(self, parts: ExecutorParts) -> None:
        """Work with these parts."""
        self._parts = parts
        self._chunks: dict[str, VerifiedChunk] = {}  # verified for the job in work

    def execute(self, context: RecordContext) -> Outcome:
        """Execute what the journal lacks of the job; return ``done`` or why it was stopped before its end."""
        job, parts = context.job, self._parts
        finished = parts.journal.finished(job.executions)
        missing = [execution for execution in job.executions if key_of(execution) not in finished]
        if finished:
            _log.info("job arrived again", job_id=job.job_id, finished=len(finished), missing=len(missing))
        self._chunks.clear()
        instrument = parts.new_instrument()
        parts.status.on_cancel = instrument.kill_running
        try:
            # The service has no record of these, or it would not have asked for them.
            self._until_room(job.job_id, lambda: parts.journal.send_again(finished))
            self._execute_all(context, missing, instrument)
        except _Stopped:
            return parts.status.stop_reason(job.job_id) or "shutdown"
        finally:
            parts.status.on_cancel = None
            instrument.close()
        return "done"

    def _execute_all(self, context: RecordContext, missing: list[JobExecution], instrument: Measures) -> None:
        job, parts = context.job, self._parts
        wanted = {execution.case_id for execution in missing}
        cases = {case.case_id: self._prepare(job, case) for case in job.cases if case.case_id in wanted}
        done = len(job.executions) - len(missing)
        self._tell(job, done)
        for execution in missing:
            self._stop_if_ordered(job.job_id)
            case = cases[execution.case_id] = self._still_ready(job, cases[execution.case_id])
            if isinstance(case, Failure):
                record = record_of_failure(context, execution, case)
            else:
                waited = self._wait_until_fit(job, done, instrument)
                measurement = self._measure(job, execution, case.command, instrument)
                record = record_of(context, execution, with_wait(measurement, waited))
            self._until_room(job.job_id, partial(parts.journal.add, record))
            done += 1
            self._tell(job, done)
            parts.delivery.between_executions()

    def _wait_until_fit(self, job: JobMessage, done: int, instrument: Measures) -> Waited:
        """Wait for what the plan asks of the machine, and say so meanwhile."""

        def tell(why: str) -> None:
            self._parts.status.tell("executing", f"job {job.job_id} waits: {why}")

        waited = instrument.wait(job.conditions, lambda: self._is_stopped(job.job_id), tell)
        self._stop_if_ordered(job.job_id)
        if waited.waited_ns:
            self._tell(job, done)
        return waited

    def _measure(self, job: JobMessage, execution: JobExecution, command: Command, instrument: Measures) -> Measurement:
        with self._parts.delivery.measuring:
            measurement = measure_for(execution.purpose, job, command, instrument, lambda: self._is_stopped(job.job_id))
        if measurement is None or self._parts.status.stop_reason(job.job_id) == "cancelled":
            raise _Stopped  # What was killed on order is no failure of the runner.
        return measurement

    def _prepare(self, job: JobMessage, case: JobCase) -> _Ready | Failure:
        """Find the program of a case, and its chunk where it has one; both were hashed as they are now."""
        self._stop_if_ordered(job.job_id)
        program = self._parts.builds.admit(case)
        if isinstance(program, Failure):
            return program
        if isinstance(case, LatencyCase):
            return _Ready(case, (program,), latency_command(job, case, program.path))
        chunk = self._provide(job, case)
        if isinstance(chunk, Failure):
            return chunk
        return _Ready(case, (program, chunk), process_command(job, case, program.path, chunk.path))

    def _provide(self, job: JobMessage, case: ProcessCase) -> VerifiedChunk | Failure:
        try:
            chunk = self._verified(job, case.chunk_sha256)
        except Unreachable:
            raise _Stopped from None
        except (NotFound, ChunkDamaged) as error:
            name = "chunk-damaged" if isinstance(error, ChunkDamaged) else "chunk-missing"
            return Failure(error=name, detail=str(error)[:4000])
        except CiphermarkError as error:
            return Failure(error="chunk-missing", detail=str(error)[:4000])
        if chunk.identity.size_bytes != case.chunk_bytes:
            detail = f"Chunk {chunk.sha256} has {chunk.identity.size_bytes} bytes, the job says {case.chunk_bytes}."
            return Failure(error="chunk-damaged", detail=detail)
        return chunk

    def _verified(self, job: JobMessage, sha256: str) -> VerifiedChunk:
        chunk = self._chunks.get(sha256)
        if chunk is None or not chunk.is_unchanged():
            chunk = wait_and_provide(self._parts.chunks, sha256, lambda why: self._wait(job.job_id, why))
            self._chunks[sha256] = chunk
        return chunk

    def _still_ready(self, job: JobMessage, case: _Ready | Failure) -> _Ready | Failure:
        """Look whether program and chunk are the files that were hashed; if not, prepare the case anew."""
        if isinstance(case, Failure) or case.is_unchanged():
            return case
        _log.warning("a file changed since it was checked", job_id=job.job_id, case_id=case.case.case_id)
        return self._prepare(job, case.case)

    def _until_room(self, job_id: int, write: Callable[[], None]) -> None:
        """Write to the journal, however long the disk is full."""
        while True:
            try:
                write()
                return
            except DiskFull as error:
                if not self._wait(job_id, str(error)):
                    raise _Stopped from error

    def _wait(self, job_id: int, why: str) -> bool:
        """Tell the service why the job stands still, wait, and return whether it is still wanted."""
        self._parts.status.tell("refusing", f"job {job_id} waits: {why}")
        self._parts.status.wait_for_shutdown(_RETRY_SECONDS)
        return self._parts.status.stop_reason(job_id) is None

    def _is_stopped(self, job_id: int) -> bool:
        return self._parts.status.stop_reason(job_id) is not None

    def _stop_if_ordered(self, job_id: int) -> None:
        if self._is_stopped(job_id):
            raise _Stopped

    def _tell(self, job: JobMessage, done: int) -> None:
        self._parts.status.tell("executing", f"job {job.job_id}: {done} of {len(job.executions)}")
        self._parts.status.advance(job.job_id, done)
