"""Readings of a runner's report, whichever its protocol."""

from dataclasses import dataclass, field
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
    output_sha256: str | None
    """None if no output has a digest that is equal whichever implementation computes it."""
    verified: bool
    phase_wall_ns: dict[str, int] = field(default_factory=dict)
    """Time of each operation of a process; empty for timed calls."""
    timings: "TimingSeries | None" = None
    garbage_collections: int = 0
    """Collections of a language's memory management during the timed work."""
    driver_cpu_ns: int = 0
    """Time on the measured core that a language's driver took, which belongs to the instrument."""
    phases_descheduled_ns: int | None = None
    """Wall time less CPU time within the phases; None without a driver."""
    impossible: str = ""
    """Why these times are impossible; empty if they are plausible."""
