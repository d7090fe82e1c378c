"""The daemon's state: written by the threads that work, read by the heartbeat thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from orchestrator.daemon.session.active_job import ActiveJob, JobState, StopReason
from orchestrator.wire.heartbeats import HeldJob

State = Literal["preparing", "ready"] | JobState
_MAX_ACTIVITY_CHARACTERS = 200
_MAX_HELD_JOBS = 1000


@dataclass(frozen=True)
class Snapshot:
    """The daemon's state at one moment."""

    state: State
    activity: str
    inventory_sha256: str | None
    held: tuple[HeldJob, ...]


class Status:
    """The daemon's state, its accepted jobs, and whether it is shutting down.

    Every method may be called from any thread.
    """

    def __init__(self) -> None:
        """Start in the state ``preparing``."""
        self._lock = threading.Lock()
        self._state: State = "preparing"
        self._activity = "starting"
        self._inventory_sha256: str | None = None
        self._active: dict[int, ActiveJob] = {}
        self._shutdown = threading.Event()

    def report(self, state: State, activity: str = "") -> None:
        """Set the state and the activity; the report of a job that is being executed takes precedence."""
        with self._lock:
            self._state, self._activity = state, activity

    def set_inventory(self, sha256: str) -> None:
        """Set the inventory that records refer to."""
        with self._lock:
            self._inventory_sha256 = sha256

    @contextmanager
    def accept(self, job_id: int) -> Iterator[ActiveJob]:
        """List the job in heartbeats and pass it stop orders until the block ends."""
        job = ActiveJob(job_id, self._shutdown)
        with self._lock:
            self._active[job_id] = job
        try:
            yield job
        finally:
            with self._lock:
                del self._active[job_id]

    def order_stop(self, job_id: int, reason: StopReason) -> None:
        """Pass a stop order to an accepted job; an order for any other job is ignored."""
        with self._lock:
            job = self._active.get(job_id)
        if job is not None:
            job.order_stop(reason)

    def shut_down(self) -> None:
        """Stop the daemon after the running execution."""
        self._shutdown.set()

    def wait_for_shutdown(self, seconds: float) -> bool:
        """Wait up to `seconds` for the shutdown; return whether the daemon is shutting down."""
        return self._shutdown.wait(seconds)

    def snapshot(self) -> Snapshot:
        """Return the current state."""
        with self._lock:
            jobs = tuple(self._active.values())
            state, activity = next((job.report for job in jobs if job.report), (self._state, self._activity))
            held = tuple(job.held_job() for job in jobs)
            return Snapshot(state, activity[:_MAX_ACTIVITY_CHARACTERS], self._inventory_sha256, held)


def with_undelivered(snapshot: Snapshot, job_ids: set[int]) -> Snapshot:
    """Return the snapshot with jobs that have undelivered records listed as held, so that they are not resent."""
    known = {job.job_id for job in snapshot.held}
    extra = tuple(HeldJob(job_id=job_id, attempt=0) for job_id in sorted(job_ids - known))
    return replace(snapshot, held=(snapshot.held + extra)[:_MAX_HELD_JOBS])
