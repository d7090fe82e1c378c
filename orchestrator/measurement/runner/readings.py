"""Parsing of reports, and the readings that both protocols' reports become."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from orchestrator.errors import ProtocolMismatch
from orchestrator.wire.base import Report
from orchestrator.wire.records import TimingSeries

R = TypeVar("R", bound=Report)


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
    timings: TimingSeries | None = None
    impossible: str = ""
    """Why these times are impossible; empty if they are plausible."""


def parse_as(report_type: type[R], stdout: bytes) -> R:
    """Return the report that a runner printed; raises ProtocolMismatch for any other output."""
    try:
        return report_type.model_validate_json(stdout)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise ProtocolMismatch(
            f"The runner printed {len(stdout)} bytes beginning {stdout[:120]!r}; "
            f"expected a report of protocol 1 ({place}: {first['msg']})."
        ) from error
