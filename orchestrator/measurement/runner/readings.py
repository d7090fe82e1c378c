"""What both protocols' reports are turned into, and how a report is parsed."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from orchestrator.errors import ProtocolMismatch
from orchestrator.wire.base import Report
from orchestrator.wire.records import TimingSeries

R = TypeVar("R", bound=Report)


@dataclass(frozen=True)
class RunnerReadings:
    """One report, taken apart."""

    columns: dict[str, int | float | None]
    """The typed fields of a record."""
    readings: dict[str, int | float | None]
    absent: dict[str, str]
    major_faults: int
    involuntary_switches: int
    ciphertext_sha256: str | None
    """None where a timed call does not encrypt."""
    verified: bool
    timings: TimingSeries | None = None
    impossible: str = ""
    """Why these times cannot be true; empty where nothing says so."""


def parse_as(report_type: type[R], stdout: bytes) -> R:
    """Parse what a runner printed; raises ProtocolMismatch with the beginning of anything else."""
    try:
        return report_type.model_validate_json(stdout)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise ProtocolMismatch(
            f"The runner printed {len(stdout)} bytes beginning {stdout[:120]!r}; "
            f"expected was a report of protocol 1 ({place}: {first['msg']})."
        ) from error
