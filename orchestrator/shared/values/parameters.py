"""Types of the parameters of requests: what a query string or a path may contain."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from orchestrator.shared.values.text import visible_line, worded

_DECIMAL = re.compile(r"-?\d{1,40}", re.ASCII)


def _decimal(value: object) -> object:
    """Refuse texts of integers that are no JSON integers: pydantic also takes ``1_000``, ``+5`` and ``5.0``."""
    if isinstance(value, str) and not _DECIMAL.fullmatch(value):
        raise ValueError("expected a whole number")
    return value


def _without_control_characters(text: str) -> str:
    if visible_line(text) != text:
        raise ValueError("expected a text without control characters")
    return text


ID_PATTERN = worded(r"^[A-Za-z0-9_-]{1,40}$", "an id: 1 to 40 letters, digits, underscores and hyphens")
"""Characters of ids; those of runs, agents and tokens are 12 lower-case letters and digits."""
WholeNumber = Annotated[int, BeforeValidator(_decimal)]
SearchText = Annotated[str, AfterValidator(_without_control_characters)]
"""Text that stored names are compared with; none of them contains a control character."""
TypedText = Annotated[SearchText, AfterValidator(str.strip)]
"""Text that a user types into a search: spaces around it do not count."""
