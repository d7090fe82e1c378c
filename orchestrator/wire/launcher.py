"""Output of the launcher: one JSON line for each event (docs/measurement.md).

The events are plain dataclasses: ``ciphermark measure`` reads them, and pydantic's import takes a third of a second of
a small device's start.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, ClassVar, Self

MAX_CURVE_SAMPLES = 500_000
"""Samples of a curve. At this number the monitor drops every second sample and continues at half the rate."""


@dataclass(frozen=True)
class LauncherEvent:
    """Event of the launcher; all integers are 0 or more."""

    NAME: ClassVar[str]
    """Value of the key ``event``."""

    @classmethod
    def read(cls, document: Mapping[str, object]) -> Self:
        """Return the event of a JSON object; keys of newer launchers are ignored.

        Raises ValueError that names the key for another event, and for a missing, mistyped or negative value.
        """
        if document.get("event") != cls.NAME:
            raise ValueError(f"event: expected {cls.NAME!r}, got {document.get('event')!r}")
        values: dict[str, Any] = {}
        for name, expected, is_required in _facts(cls):  # type: ignore[arg-type] # mypy: "Self" is not hashable
            if name in document:
                values[name] = _checked(name, document[name], expected)
            elif is_required:
                raise ValueError(f"{name}: missing")
        return cls(**values)


@cache
def _facts(kind: type[LauncherEvent]) -> tuple[tuple[str, Any, bool], ...]:
    """Return name, type and whether it is required, of each field of an event."""
    return tuple((field.name, field.type, field.default is MISSING) for field in fields(kind))


def _checked(name: str, value: object, expected: Any) -> object:
    if type(value) is expected is int and value >= 0:
        return value
    fits = isinstance(value, expected) and (expected is bool or not isinstance(value, bool))
    if not fits or (isinstance(value, int) and value < 0):
        raise ValueError(f"{name}: expected {expected} of 0 or more, got {value!r}")
    return value


@dataclass(frozen=True)
class Started(LauncherEvent):
    """The launcher has started the runner."""

    NAME = "started"

    id: int
    pid: int
    spawn_ns: int
    accepts_next: bool = False
    """Whether a request may be sent now, to be started right after the end of this runner."""


@dataclass(frozen=True)
class Ended(LauncherEvent):
    """The runner has ended; ``stdout_bytes`` and ``stderr_bytes`` raw bytes follow the line."""

    NAME = "ended"

    id: int
    pid: int
    spawn_ns: int
    end_ns: int
    exit_code: int | None
    signal: int | None
    timed_out: bool
    output_exceeded: bool
    user_us: int
    system_us: int
    max_rss_bytes: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    stdout_bytes: int
    stderr_bytes: int
    exit_peak_bytes: int | None = None
    """VmHWM right before the kernel released the memory; None from a launcher that does not trace."""
    exit_rss_bytes: int | None = None
    """Exact resident size at the same time."""
    had_children: bool = True
    """Whether the program waited for children, whose peaks count in ``max_rss_bytes``; True if unknown."""
    exit_stop_ns: int = 0
    """Duration of the stop for these readings, which ``end_ns`` excludes."""
    stops: int = 0
    """All stops of the program by the launcher."""
    counters_exact: bool = False
    """Whether the kernel's sizes in /proc are exact (Linux 6.16) and not batched."""
    cgroup_peak_bytes: int | None = None
    """Peak of the control group; None without a group, and from launchers before 0.2."""
    launcher_peak_bytes: int | None = None
    """Peak of the launcher itself, the floor of ``max_rss_bytes``."""
    exit_reason: str | None = None
    """Why there is no reading at the exit."""


@dataclass(frozen=True)
class Refused(LauncherEvent):
    """The request was invalid, or the runner could not be started."""

    NAME = "error"

    id: int | None
    detail: str


def read_event(line: bytes) -> Started | Ended | Refused:
    """Return the event of a line; raises ValueError for anything else."""
    document = json.loads(line)
    if not isinstance(document, dict):
        raise ValueError("expected an object")
    kinds: dict[object, type[Started | Ended | Refused]] = {kind.NAME: kind for kind in (Started, Ended, Refused)}
    event = document.get("event")
    if not isinstance(event, str) or event not in kinds:
        raise ValueError(f"event: expected one of {', '.join(map(str, kinds))}, got {event!r}")
    return kinds[event].read(document)
