"""Executes the jobs: one execution after another, in the order of the job, each stored in the journal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import structlog

from orchestrator.compilation.proved import ProvedBuilds
from orchestrator.daemon.jobs.cases import RETRY_SECONDS, CasePreparer, JobStopped, PreparedCase, Restore
from orchestrator.daemon.jobs.chunk_cache import ChunkCache
from orchestrator.daemon.jobs.delivery import Delivery
from orchestrator.daemon.jobs.journal.file import DiskFull
from orchestrator.daemon.jobs.journal.journal import Journal, key_of
from orchestrator.daemon.jobs.purposes import execute_for, is_plain, with_wait
from orchestrator.daemon.jobs.recorder import Recorder
from orchestrator.daemon.jobs.records import RecordContext, record_of, record_of_failure
from orchestrator.daemon.jobs.room import Room
from orchestrator.daemon.session.active_job import ActiveJob, StopReason
from orchestrator.measurement.instrument.measure import Executed, Instrument, Measurement
from orchestrator.measurement.instrument.outcome import FILE_CHANGED, INFRASTRUCTURE
from orchestrator.measurement.instrument.waiting import Waited
from orchestrator.measurement.runner.command import Command
from orchestrator.shared.values.boot_clock import boot_time
from orchestrator.wire.jobs import JobExecution, JobMessage, ProcessCase
from orchestrator.wire.records import MAX_REPEATS, FailedAttempt, Failure, Record

Outcome = Literal["done"] | StopReason

_REPEAT_SECONDS = (0.0, 0.5, 2.0)
"""Pauses before the repetitions of an execution that failed by no fault of the runner."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Equipment:
    """Objects that the executions of a job share."""

    instrument: Instrument
    active: ActiveJob
    recorder: Recorder


class Executor:
    """Executes jobs; of a job that arrives again it executes only what the journal lacks."""

    def __init__(
        self,
        *,
        journal: Journal,
        delivery: Delivery,
        chunks: ChunkCache,
        builds: ProvedBuilds,
        restore_build: Restore,
        room: Room,
        new_instrument: Callable[[], Instrument],
    ) -> None:
        """Create an executor.

        restore_build: makes a build again that a case needs and that is missing or damaged.
        new_instrument: returns the instrument of one job; its launcher lives as long as the job.
        """
        self._journal = journal
        self._delivery = delivery
        self._chunks = chunks
        self._builds = builds
        self._restore_build = restore_build
        self._room = room
        self._new_instrument = new_instrument

    def execute(self, context: RecordContext, active: ActiveJob) -> Outcome:
        """Execute what the journal lacks of the job; return ``done`` or why the job was stopped."""
        job = context.job
        finished = self._journal.finished(job.executions)
        # The journal may have lost records that the service has.
        known = {key_of(execution) for execution in job.executions if execution.position in context.recorded}
        missing = [execution for execution in job.executions if key_of(execution) not in finished | known]
        if finished:
            _log.info("job resumed", job_id=job.job_id, finished=len(finished), missing=len(missing))
        self._chunks.make_room(
            {case.chunk_sha256: case.chunk_bytes for case in job.cases if isinstance(case, ProcessCase)}
        )
        instrument = self._new_instrument()
        active.on_cancel = instrument.kill_running
        try:
            # The service sent the job again, so it has no record of these.
            self._write_when_possible(active, lambda: self._journal.requeue(finished - known))
            write = partial(self._write_when_possible, active)
            with Recorder(self._journal, self._delivery, write, in_thread=instrument.pinned) as recorder:
                self._execute_all(context, missing, _Equipment(instrument, active, recorder))
        except JobStopped:
            return active.stop_reason() or "shutdown"
        finally:
            active.on_cancel = None
            if instrument.is_ahead:
                self._delivery.measuring.release()
            instrument.close()
        return "done"

    def _execute_all(self, context: RecordContext, missing: list[JobExecution], equipment: _Equipment) -> None:
        job, total, active = context.job, len(context.job.executions), equipment.active
        case_ids = {execution.case_id for execution in missing}
        preparer = CasePreparer(
            job, active, builds=self._builds, chunks=self._chunks, restore=self._restore_build, room=self._room
        )
        cases = {case.case_id: preparer.prepare(case) for case in job.cases if case.case_id in case_ids}
        for index, execution in enumerate(missing):
            done = total - len(missing) + index
            following = partial(self._following, job, missing[index + 1 : index + 2], cases, active)
            active.report_progress(done, total)
            if active.is_stopped():
                raise JobStopped
            earlier: list[FailedAttempt] = []
            while True:
                case = cases[execution.case_id] = preparer.refresh(cases[execution.case_id])
                begun = replace(context, begun_boot_ns=boot_time().at_ns)
                if isinstance(case, Failure):
                    make = partial(record_of_failure, begun, execution, case, earlier)
                    break
                waited = _wait_for_conditions(job, equipment)
                if waited.waited_ns or earlier:
                    active.report_progress(done, total)
                begun = replace(context, begun_boot_ns=boot_time().at_ns)
                # A repetition is followed by nothing: another one would have to wait first.
                ahead = following if not earlier else lambda: None
                executed = self._execute_once(job, execution, case.command, equipment, ahead)
                begun = replace(begun, begun_boot_ns=executed.began_boot_ns or begun.begun_boot_ns)
                changed = case.changed_files()
                if executed.succeeded and not changed:
                    make = partial(_record_of, begun, execution, executed, waited, earlier)
                    break
                measurement = executed.measurement()
                if changed:
                    measurement = _with_changed_files(measurement, changed)
                if not _is_repeated(measurement, earlier, active):
                    make = partial(record_of, begun, execution, with_wait(measurement, waited), earlier)
                    break
            equipment.recorder.put(make)
        active.report_progress(total, total)

    def _execute_once(
        self,
        job: JobMessage,
        execution: JobExecution,
        command: Command,
        equipment: _Equipment,
        following: Callable[[], Command | None],
    ) -> Executed:
        active, instrument = equipment.active, equipment.instrument
        if not instrument.is_ahead:
            self._delivery.measuring.acquire()
        try:
            executed = execute_for(
                execution.purpose,
                job,
                command,
                instrument,
                stopped=active.is_stopped,
                when_started=equipment.recorder.begin,
                following=following,
            )
        finally:
            if not instrument.is_ahead:
                self._delivery.measuring.release()
        if executed is None or active.stop_reason() == "cancelled":
            raise JobStopped  # An execution killed by a cancellation is not a failure of the runner.
        return executed

    def _following(
        self,
        job: JobMessage,
        next_one: Sequence[JobExecution],
        cases: Mapping[int, PreparedCase | Failure],
        active: ActiveJob,
    ) -> Command | None:
        """Return the command of the next execution, if there is one and it need not wait for anything."""
        if job.conditions.are_limited or self._delivery.measuring.is_requested or active.is_stopped():
            return None
        for one in next_one:
            case = cases[one.case_id]
            if is_plain(one.purpose) and not isinstance(case, Failure) and not case.changed_files():
                return case.command
        return None

    def _write_when_possible(self, active: ActiveJob, write: Callable[[], None]) -> None:
        """Write to the journal, waiting while the disk is full. Raises JobStopped."""
        while True:
            try:
                write()
                return
            except DiskFull as error:
                if not active.wait_out(self._room.lack() or str(error), RETRY_SECONDS):
                    raise JobStopped from error


def _wait_for_conditions(job: JobMessage, equipment: _Equipment) -> Waited:
    active = equipment.active

    def report(reason: str) -> None:
        equipment.recorder.settle()
        active.report_wait(reason)

    waited = equipment.instrument.wait(job.conditions, active.is_stopped, report)
    if active.is_stopped():
        raise JobStopped
    return waited


def _record_of(
    context: RecordContext,
    execution: JobExecution,
    executed: Executed,
    waited: Waited,
    earlier_attempts: list[FailedAttempt],
) -> Record:
    return record_of(context, execution, with_wait(executed.measurement(), waited), earlier_attempts)


def _with_changed_files(measurement: Measurement, names: list[str]) -> Measurement:
    """Return the measurement as a failure: another program or chunk may have been used than the verified one."""
    detail = f"Changed on disk during the execution: {', '.join(names)}."
    return replace(measurement, failure=Failure(error=FILE_CHANGED, detail=detail))


def _is_repeated(measurement: Measurement, earlier: list[FailedAttempt], active: ActiveJob) -> bool:
    """Return whether the execution is made again: after a failure that is not the runner's, up to three times.

    Appends the failed attempt, and waits longer before each repetition. Raises JobStopped.
    """
    failure = measurement.failure
    if failure is None or failure.error not in INFRASTRUCTURE or len(earlier) == MAX_REPEATS:
        return False
    pause_seconds = _REPEAT_SECONDS[len(earlier)]
    earlier.append(FailedAttempt(started_at=measurement.started_at, failure=failure))
    _log.warning("execution repeated", job_id=active.job_id, error=failure.error, detail=failure.detail)
    if not active.wait_out(f"{failure.error}: {failure.detail}", pause_seconds):
        raise JobStopped
    return True
