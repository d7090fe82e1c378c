"""What the daemon is doing, shared by the thread that measures and the one that tells the service."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from orchestrator.wire.heartbeats import HeldJob

State = Literal["preparing", "ready", "executing", "refusing"]
StopReason = Literal["cancelled", "paused", "shutdown"]


@dataclass(frozen=True)
class Snapshot:
    """The daemon at one moment."""

    state: State
    activity: str
    inventory_sha256: str | None
    held: tuple[HeldJob, ...]


class Status:
    """The daemon's state and the stop orders it got. Every method may be called from any thread."""

    def __init__(self) -> None:
        """Begin with preparing."""
        self._lock = threading.Lock()
        self._state: State = "preparing"
        self._activity = "starting"
        self._inventory_sha256: str | None = None
        self._held: dict[int, HeldJob] = {}
        self._stops: dict[int, StopReason] = {}
        self._shutdown = threading.Event()
        self.on_cancel: Callable[[], None] | None = None
        """Called when the job in work is cancelled: ends its runner at once."""

    def tell(self, state: State, doing: str = "") -> None:
        """Say what the daemon does now."""
        with self._lock:
            self._state, self._activity = state, doing[:200]

    def know_inventory(self, sha256: str) -> None:
        """Name the inventory that records refer to."""
        with self._lock:
            self._inventory_sha256 = sha256

    def hold(self, job_id: int, attempt: int) -> None:
        """A job was taken; an order of a former life of it is forgotten."""
        with self._lock:
            self._held[job_id] = HeldJob(job_id=job_id, attempt=attempt)
            self._stops.pop(job_id, None)

    def advance(self, job_id: int, done: int) -> None:
        """So many executions of the job are finished."""
        with self._lock:
            if job_id in self._held:
                self._held[job_id] = self._held[job_id].model_copy(update={"done": done})

    def let_go(self, job_id: int) -> None:
        """The job is no longer held."""
        with self._lock:
            self._held.pop(job_id, None)
            self._stops.pop(job_id, None)

    def order_stop(self, job_id: int, reason: StopReason) -> None:
        """Stop a held job; an order for any other job is ignored."""
        with self._lock:
            if job_id not in self._held:
                return
            self._stops[job_id] = reason
            kill = self.on_cancel if reason == "cancelled" else None
        if kill is not None:
            kill()

    def shut_down(self) -> None:
        """Stop after the execution in work."""
        self._shutdown.set()

    def wait_for_shutdown(self, seconds: float) -> bool:
        """Wait at most so long; returns whether the daemon is to end."""
        return self._shutdown.wait(seconds)

    def stop_reason(self, job_id: int) -> StopReason | None:
        """Return why the job has to stop now, or None; a cancellation counts before a shutdown."""
        with self._lock:
            reason = self._stops.get(job_id)
        return reason or ("shutdown" if self._shutdown.is_set() else None)

    def snapshot(self) -> Snapshot:
        """Return the present state."""
        with self._lock:
            return Snapshot(self._state, self._activity, self._inventory_sha256, tuple(self._held.values()))


def with_undelivered(snapshot: Snapshot, job_ids: set[int]) -> Snapshot:
    """Count jobs whose records wait in the spool as held: sending them again would bring nothing new."""
    known = {job.job_id for job in snapshot.held}
    extra = tuple(HeldJob(job_id=job_id, attempt=0) for job_id in sorted(job_ids - known))
    return replace(snapshot, held=(snapshot.held + extra)[:1000])
