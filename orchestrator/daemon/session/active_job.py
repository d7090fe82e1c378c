"""One accepted job: what it is doing, how far it is, and why it has to stop."""

import threading
from collections.abc import Callable
from typing import Literal

from orchestrator.wire.heartbeats import HeldJob

JobState = Literal["executing", "refusing"]
StopReason = Literal["cancelled", "paused", "shutdown"]


class ActiveJob:
    """Progress and stop order of a job, from its arrival to its acknowledgment.

    The thread that executes the job reports progress here; the heartbeat thread reads it through `Status` and stores
    stop orders. Every method may be called from any thread.
    """

    def __init__(self, job_id: int, shutdown: threading.Event) -> None:
        """Register a job that has arrived and is not claimed yet."""
        self.job_id = job_id
        self.on_cancel: Callable[[], None] | None = None
        """Called on cancellation: ends the running execution immediately."""
        self._shutdown = shutdown
        self._lock = threading.Lock()
        self._attempt = 0
        self._done = 0
        self._report: tuple[JobState, str] | None = None
        self._stop: StopReason | None = None

    def start(self, attempt: int) -> None:
        """Begin a claimed attempt; stop orders from before the claim no longer apply."""
        with self._lock:
            self._attempt, self._stop = attempt, None

    def report_progress(self, done: int, total: int) -> None:
        """Report how many executions of the job are finished."""
        with self._lock:
            self._done = done
            self._report = "executing", f"job {self.job_id}: {done} of {total}"

    def report_wait(self, reason: str) -> None:
        """Report that the job waits for a condition of its plan."""
        with self._lock:
            self._report = "executing", f"job {self.job_id} waits: {reason}"

    def wait_out(self, reason: str, seconds: float) -> bool:
        """Report what prevents measuring, wait, and return whether to try again."""
        with self._lock:
            self._report = "refusing", f"job {self.job_id} waits: {reason}"
        self._shutdown.wait(seconds)
        return not self.is_stopped()

    def order_stop(self, reason: StopReason) -> None:
        """Store a stop order; a cancellation also ends the running execution."""
        with self._lock:
            self._stop = reason
            kill = self.on_cancel if reason == "cancelled" else None
        if kill is not None:
            kill()

    def stop_reason(self) -> StopReason | None:
        """Return why the job has to stop now, or None; a stop order takes precedence over the daemon's shutdown."""
        with self._lock:
            reason = self._stop
        return reason or ("shutdown" if self._shutdown.is_set() else None)

    def is_stopped(self) -> bool:
        """Return whether the job has to stop now."""
        return self.stop_reason() is not None

    @property
    def report(self) -> tuple[JobState, str] | None:
        """State and activity while the job is executed; None while it waits for the machine."""
        with self._lock:
            return self._report

    def held_job(self) -> HeldJob:
        """Return the job's entry in a heartbeat."""
        with self._lock:
            return HeldJob(job_id=self.job_id, attempt=self._attempt, done=self._done)
