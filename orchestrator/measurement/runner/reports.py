"""Parsing of the reports that runners print."""

from typing import TypeVar

from pydantic import ValidationError

from orchestrator.shared.errors import ProtocolMismatch
from orchestrator.wire.base import Report

R = TypeVar("R", bound=Report)


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
