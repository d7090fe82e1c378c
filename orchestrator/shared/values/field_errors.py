"""Invalid fields of a document: what was seen in each, and what is allowed."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.shared.units import format_limit
from orchestrator.shared.values.models import LazyModel
from orchestrator.shared.values.text import words_of

MAX_SEEN_CHARACTERS = 100
MAX_ERRORS = 20


class FieldError(LazyModel):
    """One invalid field of a request."""

    field: str
    """Dotted path: ``matrix[0].inputs.sizes[1]``."""
    seen: str | None = None
    """The value as JSON, truncated to 100 characters; left out if the field is absent."""
    allowed: str
    line: int | None = None
    """Line of the field in the text of a plan, from 1; left out for other bodies."""


def field_errors(errors: Sequence[Any], skip: Sequence[str] = ("body", "query", "path", "header")) -> list[FieldError]:
    """Return at most 20 of pydantic's errors as field errors, with truncated values.

    skip: parts of a request, which are removed from the beginning of a path.
    """
    return [
        FieldError(
            field=_dotted(error["loc"], skip),
            seen=None if error["type"] == "missing" else shorten(error.get("input")),
            allowed=expectation(error),
        )
        for error in errors[:MAX_ERRORS]
    ]


# By pydantic's error types; placeholders are the keys of an error's context.
_EXPECTATIONS = {
    "missing": "a value is required",
    "extra_forbidden": "there is no such key",
    "literal_error": "expected {expected}",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected at most {le}",
    "finite_number": "expected a finite number",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "string_type": "expected a text",
    "string_too_short": "expected at least {min_length} characters",
    "string_too_long": "expected at most {max_length} characters",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "list_type": "expected a list",
    "too_short": "expected {min_length} or more entries",
    "too_long": "expected {max_length} or fewer entries",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
    "model_attributes_type": "expected a mapping",
}
_LIMITS = ("gt", "ge", "lt", "le")
"""Keys of an error's context with the limit of a number."""


def expectation(error: Mapping[str, Any]) -> str:
    """Return what one of pydantic's errors expects; a validator's own message without the prefix of pydantic."""
    template = _EXPECTATIONS.get(error["type"])
    if template is not None and isinstance(error.get("input"), str):
        template = template.replace("entries", "characters")
    if error["type"] == "string_pattern_mismatch":
        return f"expected {words_of(error['ctx']['pattern'])}"
    if template is None:
        return str(error["msg"]).removeprefix("Value error, ")
    field = next((part for part in reversed(error["loc"]) if isinstance(part, str)), "")
    limits = {name: format_limit(value, field) for name, value in error.get("ctx", {}).items() if name in _LIMITS}
    return template.format_map(error.get("ctx", {}) | limits)


def shorten(value: object) -> str:
    """Return a value as JSON of at most 100 characters."""
    # A long list is not serialized: a megabyte of JSON would be made for 100 characters.
    if isinstance(value, list | tuple) and len(value) > MAX_SEEN_CHARACTERS:
        return f"{len(value)} items"
    if isinstance(value, str):
        value = value[: MAX_SEEN_CHARACTERS + 1]
    text = json.dumps(value, default=lambda other: type(other).__name__, ensure_ascii=False)
    return text if len(text) <= MAX_SEEN_CHARACTERS else f"{text[: MAX_SEEN_CHARACTERS - 1]}…"


def _dotted(location: Sequence[str | int], skip: Sequence[str]) -> str:
    parts = list(location)
    if len(parts) > 1 and parts[0] in skip:
        parts = parts[1:]
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else str(part)
    return path
