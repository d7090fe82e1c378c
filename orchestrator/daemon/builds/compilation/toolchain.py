"""Reads the toolchain of an order: the last gate before words of others reach a compiler's command line."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orchestrator.errors import BuildFailed
from orchestrator.wire.builds import Toolchain


def read_toolchain(document: dict[str, object]) -> Toolchain:
    """Return the toolchain of an order; raises BuildFailed with what was seen and what is allowed."""
    try:
        return Toolchain.model_validate(document)
    except ValidationError as error:
        told = "; ".join(_told(detail) for detail in error.errors(include_url=False))
        raise BuildFailed(f"The toolchain is refused: {told}.") from None


def _told(detail: ErrorDetails) -> str:
    key = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return f"{key!r} is no part of a toolchain, its parts are {', '.join(Toolchain.model_fields)}"
    return f"{key} is {str(detail['input'])[:100]!r}: {detail['msg']}"
