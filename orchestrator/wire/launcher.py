"""Output of the launcher: one JSON line for each event (docs/measurement.md)."""

from typing import Literal

from orchestrator.wire.base import ByteCount, Count, Nanoseconds, Report


class Started(Report):
    """The launcher has started the runner."""

    event: Literal["started"]
    id: int
    pid: int
    spawn_ns: Nanoseconds


class Ended(Report):
    """The runner has ended; ``stdout_bytes`` and ``stderr_bytes`` raw bytes follow the line."""

    event: Literal["ended"]
    id: int
    pid: int
    spawn_ns: Nanoseconds
    end_ns: Nanoseconds
    exit_code: int | None
    signal: int | None
    timed_out: bool
    output_exceeded: bool
    user_us: Count
    system_us: Count
    max_rss_bytes: ByteCount
    minor_faults: Count
    major_faults: Count
    voluntary_switches: Count
    involuntary_switches: Count
    stdout_bytes: ByteCount
    stderr_bytes: ByteCount


class Refused(Report):
    """The request was invalid, or the runner could not be started."""

    event: Literal["error"]
    id: int | None
    detail: str
