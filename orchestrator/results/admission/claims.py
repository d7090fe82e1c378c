"""Claims and records: which record belongs to a claim, and whether it fits into the time since the claim. Pure.

A record counts for a job only if that job was granted to the agent. The record names the claim under which it was made:

- **The claim is known**: the record counts, also when a later session of the daemon delivers it (after a restart, from
  the journal), and also when the job was released, cancelled or claimed again.
- **The claim is unknown, but the job was sent to the agent**: the daemon executed the job while the service was
  unreachable, or the service's database was restored from a backup. The record counts, without a check of its window.
- **The job was never sent to the agent, according to a restored database**: the record counts if the job is in the
  backup and the execution began and ended between the backup and its restore. Otherwise it is refused; the daemon
  delivers it again when it receives the job.
- **The job was never sent to the agent**: the record is refused.

Time is compared on clocks that no change of the wall clock moves: the daemon reports how long after the claim's answer
an execution began (its CLOCK_BOOTTIME), and the service measures how long ago it granted the claim (its own). An agent
whose wall clock is wrong is therefore as good as any other; the start of an execution is stored on the service's clock.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.shared.values.boot_clock import BootTime

RATE_TOLERANCE = 0.002
"""Relative difference between two clocks: the kernel slews by at most 500 ppm, and quartz is off by some 100 ppm; on
either side."""
TOLERANCE_NS = 100_000_000
"""Constant part: rounding, and readings of the clock before and after a request."""

_MAX_SINCE_NS = 10**18


@dataclass
class KnownClaim:
    """A granted claim; `reported_ns` grows with the records of a batch."""

    id: int
    job_id: int
    session_id: str
    granted_at: datetime
    boot_id: str
    granted_boot_ns: int
    reported_ns: int

    def elapsed_ns(self, at: BootTime) -> int | None:
        """Return the time since the claim; None if the service's machine was restarted since."""
        return at.since(self.boot_id, self.granted_boot_ns)


@dataclass(frozen=True)
class LostPeriod:
    """Time between a backup and its restore: the database knows neither jobs that were sent then, nor their claims."""

    began_at: datetime
    ended_at: datetime
    first_id: int
    """First number of the jobs that are not in the backup."""

    def explains(self, job_id: int, timing: "Timing") -> bool:
        """Return whether an execution of a job that was never sent can have been made in this period.

        An agent whose wall clock is wrong does not profit: its records count when the job was sent to it again.
        """
        duration = timedelta(microseconds=min(timing.duration_ns, _MAX_SINCE_NS) / 1000)
        return job_id < self.first_id and self.began_at <= timing.started_at <= self.ended_at - duration


@dataclass(frozen=True)
class Timing:
    """When an execution was made, by its record."""

    duration_ns: int
    since_claim_ns: int | None
    """Start after the claim's answer; None for a record of an earlier version or without an answered claim."""
    started_at: datetime
    """Start on the agent's wall clock."""


def exceeded_window(claim: KnownClaim, timing: Timing, at: BootTime) -> str | None:
    """Return how an execution does not fit into the time since its claim, as a sentence; None if it does."""
    elapsed = claim.elapsed_ns(at)
    if elapsed is None:
        return None
    limit = elapsed * (1 + RATE_TOLERANCE) + TOLERANCE_NS
    end = (timing.since_claim_ns or 0) + timing.duration_ns
    if end > limit:
        return f"the execution ended {end / 1e9:.3f} s after its claim, which was granted {elapsed / 1e9:.3f} s ago."
    total = claim.reported_ns + timing.duration_ns
    if total > limit:
        return (
            f"the executions of claim {claim.id} take {total / 1e9:.3f} s together; "
            f"it was granted {elapsed / 1e9:.3f} s ago."
        )
    return None


def started_at(claim: KnownClaim | None, timing: Timing, sent_at: datetime | None, now: datetime) -> datetime:
    """Return the start of an execution on the service's clock.

    Without an answered claim it is the agent's, limited to the time between the sending of the job and now.
    """
    if claim is not None and timing.since_claim_ns is not None:
        since_claim_ns = min(timing.since_claim_ns, _MAX_SINCE_NS)  # A false one must not overflow.
        return min(claim.granted_at + timedelta(microseconds=since_claim_ns / 1000), now)
    earliest = claim.granted_at if claim is not None else sent_at
    return min(max(timing.started_at, earliest) if earliest is not None else timing.started_at, now)
