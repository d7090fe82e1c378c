"""Plan documents in YAML or JSON: parsed within limits, and validated with the field of every error."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orchestrator.service.security.bodies import parse_strict
from orchestrator.shared.errors import InvalidRequest, PlanRefused
from orchestrator.shared.files.identity import json_sha256
from orchestrator.shared.values.field_errors import FieldError, field_errors
from orchestrator.wire.plans import RENAMED_KEYS, Plan

MAX_PLAN_BYTES = 1024 * 1024
MAX_DEPTH = 16
MAX_NODES = 50_000
MAX_NUMBER_CHARACTERS = 40

_JSON = re.compile(r"\s*\{\s*[\"}]")
"""Start of a JSON object; a YAML mapping in braces has keys without quotes."""


class _PlanLoader(yaml.CSafeLoader):
    """The safe loader, which also refuses duplicate keys and long numbers.

    YAML would silently use the last key. Its numbers to the base 60, such as 1:30:00, take time that grows with the
    square of their length.
    """

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        if len(node.value) > MAX_NUMBER_CHARACTERS:
            line = node.start_mark.line + 1
            raise _not_yaml(f"the number in line {line} has more than {MAX_NUMBER_CHARACTERS} characters", line)
        is_int = node.tag == _INT
        number: int | float = self.construct_yaml_int(node) if is_int else self.construct_yaml_float(node)
        return number

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str) or key in seen:
                problem = "is a duplicate" if isinstance(key, str) else "is not a text"
                line = key_node.start_mark.line + 1
                raise _not_yaml(f"the key {str(key)[:100]!r} in line {line} {problem}", line)
            seen.add(key)
        return super().construct_mapping(node, deep)


_INT, _FLOAT = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"
for _tag in (_INT, _FLOAT):
    _PlanLoader.add_constructor(_tag, _PlanLoader.construct_number)


@dataclass(frozen=True)
class PlanDocument:
    """A plan and the document that it was read from, which is stored as submitted."""

    document: dict[str, Any]
    plan: Plan

    @property
    def sha256(self) -> str:
        """Digest of the document, independent of the order of its keys."""
        return json_sha256(self.document)


_NOT_MEASURED = ("name", "description", "seed", "repetitions", "priority", "start")


def measurement_sha256(document: Mapping[str, Any]) -> str:
    """Return the digest of what a plan measures: without its names, its seed, its repetitions and its place in line."""
    return json_sha256({name: value for name, value in document.items() if name not in _NOT_MEASURED})


def read_plan(document: dict[str, Any] | None, text: str | None) -> PlanDocument:
    """Return the plan in a mapping or in a YAML or JSON text; raise PlanRefused where it is not valid."""
    data = parse_text(text) if text is not None else dict(document or {})
    return PlanDocument(data, validate(data))


def parse_text(text: str, max_bytes: int = MAX_PLAN_BYTES) -> dict[str, Any]:
    """Return the mapping in a YAML or JSON text; raise PlanRefused for anything else.

    Aliases are refused, because a short text with aliases can expand to a large plan. Size, depth and number of nodes
    are limited.
    """
    size_bytes = len(text.encode("utf-8", "surrogatepass"))
    if size_bytes > max_bytes:
        raise PlanRefused(
            f"The plan has {size_bytes} bytes; at most {max_bytes} are allowed.",
            remedy="Use patterns instead of long lists.",
            field="plan_text",
        )
    data = _parse_json(text) if _JSON.match(text) else _parse_yaml(text)
    if not isinstance(data, dict):
        raise PlanRefused(
            f"The plan is a {type(data).__name__}; expected is a mapping with the keys version, name, repetitions and "
            "matrix.",
            remedy="Start from an example such as plans/quick.yaml.",
            field="plan_text",
        )
    return data


def validate(data: dict[str, Any]) -> Plan:
    """Return the plan in a mapping; raise PlanRefused with the seen and the expected value of every invalid field."""
    try:
        return Plan.model_validate(data)
    except ValidationError as error:
        # Renamed keys first: only the first errors are kept.
        found = sorted(error.errors(include_url=False), key=lambda one: not _is_renamed(one))
        errors = field_errors(found, skip=())
        raise _refusal(errors, error.error_count(), _renamed_keys(error)) from None


def _refusal(errors: Sequence[FieldError], count: int, renamed: Mapping[str, str]) -> PlanRefused:
    entries = [entry.model_dump() for entry in errors]
    if renamed:
        return PlanRefused(
            f"{errors[0].field}: the plan uses keys of Ciphermark 0.1.",
            remedy=f"Rename {'; '.join(f'{before} to {after}' for before, after in renamed.items())}.",
            field=errors[0].field,
            errors=entries,
        )
    first = errors[0]
    seen = f" (seen: {first.seen})" if first.seen is not None else ""
    more = "" if count == 1 else f" The plan has {count - 1} more {'errors' if count > 2 else 'error'}."
    return PlanRefused(
        f"{first.field or 'plan'}: {first.allowed}{seen}.{more}",
        remedy="Correct the fields listed in errors; docs/plans.md describes every key.",
        field=first.field,
        errors=entries,
    )


def _renamed_keys(error: ValidationError) -> dict[str, str]:
    """Return the renamed keys that the plan uses, with their present names."""
    keys = (str(one["loc"][-1]) for one in error.errors() if _is_renamed(one))
    return {key: RENAMED_KEYS[key] for key in keys}


def _is_renamed(error: ErrorDetails) -> bool:
    return error["type"] == "extra_forbidden" and str(error["loc"][-1]) in RENAMED_KEYS


def _parse_json(text: str) -> Any:
    try:
        return parse_strict(text)
    except InvalidRequest as error:
        raise PlanRefused(error.detail, remedy=error.remedy, field="plan_text") from None


def _parse_yaml(text: str) -> Any:
    try:
        _check_events(text)
        # The loader is safe, and _check_events has limited what it constructs.
        return yaml.load(text, Loader=_PlanLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise _not_yaml(f"{error.problem}{place}", mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, ValueError, RecursionError, UnicodeError) as error:
        raise _not_yaml(str(error).splitlines()[0] if str(error) else type(error).__name__) from None


def _check_events(text: str) -> None:
    depth = 0
    for nodes, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _not_yaml(f"anchors and aliases are not allowed (line {line})", line)
        if getattr(event, "tag", None) is not None:
            raise _not_yaml(f"tags are not allowed (line {line})", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            limit = f"{MAX_DEPTH} levels" if depth > MAX_DEPTH else f"{MAX_NODES} entries"
            raise _not_yaml(f"it has more than {limit} (line {line})", line)


def _not_yaml(reason: str, line: int | None = None) -> PlanRefused:
    return PlanRefused(
        f"The plan cannot be read as YAML: {reason}.",
        remedy="Correct the document; plans/quick.yaml is an example.",
        field="plan_text",
        **({} if line is None else {"line": line}),
    )
