"""Readings of a runner's report, whichever its protocol."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.wire.records import TimingSeries


@dataclass(frozen=True)
class RunnerReadings:
    """Readings of one report."""

    columns: dict[str, int | float | None]
    """Typed fields of a record."""
    readings: dict[str, int | float | None]
    absent: dict[str, str]
    major_faults: int
    involuntary_switches: int
    ciphertext_sha256: str | None
    """None if the timed operation does not encrypt."""
    verified: bool
    timings: "TimingSeries | None" = None
    garbage_collections: int = 0
    """Collections of a language's memory management during the timed work."""
    impossible: str = ""
    """Why these times are impossible; empty if they are plausible."""
