"""Validation of the toolchain in a build order, before any of it reaches a compiler's command line."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.values.field_errors import expectation
from orchestrator.wire.builds import Toolchain


def read_toolchain(document: dict[str, object]) -> Toolchain:
    """Return the toolchain of an order; raises BuildFailed with the invalid fields and what is allowed."""
    try:
        return Toolchain.model_validate(document)
    except ValidationError as error:
        faults = "; ".join(_fault(detail) for detail in error.errors(include_url=False))
        raise BuildFailed(f"The toolchain is invalid: {faults}.") from None


def _fault(detail: ErrorDetails) -> str:
    key = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return f"{key!r} is not a field of a toolchain; its fields are {', '.join(Toolchain.model_fields)}"
    return f"{key} is {str(detail['input'])[:100]!r}: {expectation(detail)}" if key else expectation(detail)
