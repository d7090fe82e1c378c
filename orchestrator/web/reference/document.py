"""From an OpenAPI document to the data of the reference. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.web.reference.views import Content, Field, Group, Operation, ReferencePage, Reply, Schema

_Document = Mapping[str, Any]
_FIRST_ERROR = 400


def reference_of(document: _Document) -> ReferencePage:
    """Return the reference of an OpenAPI 3.1 document; operations keep their order within their first tag."""
    groups: dict[str, list[Operation]] = {}
    schemas = document.get("components", {}).get("schemas", {})
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            tag = next(iter(operation.get("tags", ())), "other")
            groups.setdefault(tag, []).append(_operation(method, path, operation, schemas))
    return ReferencePage(
        version=document["info"]["version"],
        groups=[Group(name=name, operations=operations) for name, operations in groups.items()],
        schemas=[_schema(name, schema) for name, schema in sorted(schemas.items())],
    )


def _operation(method: str, path: str, operation: _Document, schemas: _Document) -> Operation:
    replies = [_reply(status, reply, schemas) for status, reply in sorted(operation["responses"].items())]
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        description=_text(operation.get("description", "")),
        parameters=[
            _field(one["name"], one["schema"], one["required"], one["in"], one.get("description", ""))
            for one in operation.get("parameters", ())
        ],
        body=_content(operation.get("requestBody", {}), schemas),
        replies=[reply for reply in replies if not _is_problem(reply.status)],
        problems=[reply for reply in replies if _is_problem(reply.status)],
        needs_token=bool(operation.get("security")),
    )


def _is_problem(status: str) -> bool:
    return status.isdigit() and int(status) >= _FIRST_ERROR


def _reply(status: str, reply: _Document, schemas: _Document) -> Reply:
    return Reply(status=status, description=_text(reply.get("description", "")), content=_content(reply, schemas))


def _content(holder: _Document, schemas: _Document) -> list[Content]:
    return [
        Content(
            media_type=media_type,
            type=type_label(content.get("schema", {})),
            schemas=_names(content.get("schema", {})),
            example=_example(content, schemas),
        )
        for media_type, content in holder.get("content", {}).items()
    ]


def _example(content: _Document, schemas: _Document) -> str:
    """Return the example of a body or of its schema as indented JSON; empty if there is none."""
    schema = content.get("schema", {})
    named = schemas.get(_name(schema), schema)
    examples = [content["example"]] if "example" in content else named.get("examples", [])
    return json.dumps(examples[0], indent=2, ensure_ascii=False) if examples else ""


def _schema(name: str, schema: _Document) -> Schema:
    required = schema.get("required", ())
    fields = schema.get("properties", {})
    return Schema(
        name=name,
        type="" if fields else type_label(schema),
        schemas=[] if fields else _names(schema),
        description=_text(schema.get("description", "")),
        fields=[_field(one, value, one in required, "", value.get("description", "")) for one, value in fields.items()],
    )


def _field(name: str, schema: _Document, required: bool, place: str, description: str) -> Field:
    return Field(
        name=name,
        place=place,
        type=type_label(schema),
        schemas=_names(schema),
        required=required,
        default=json.dumps(schema["default"], ensure_ascii=False) if schema.get("default") is not None else "",
        description=_text(description),
    )


def type_label(schema: _Document) -> str:
    """Return the type of a JSON schema: ``integer, 1 to 500``, ``list of RunSummary``, ``"csv" or "jsonl"``."""
    if name := _name(schema):
        return name
    if "allOf" in schema:
        return " and ".join(dict.fromkeys(type_label(one) for one in schema["allOf"]))
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(type_label(one) for one in alternatives))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum") or [schema["const"]]
        return " or ".join(json.dumps(value) for value in values)
    return ", ".join(
        [_kind(schema), *_limits(schema, "Items", "items"), *_limits(schema, "Length", "characters"), *_range(schema)]
    )


def _kind(schema: _Document) -> str:
    kind = str(schema.get("type", "any"))
    if kind == "array":
        return f"list of {type_label(schema.get('items', {}))}"
    values = schema.get("additionalProperties")
    if kind == "object" and isinstance(values, Mapping) and values:
        return f"object of {type_label(values)}"
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _limits(schema: _Document, name: str, unit: str) -> Iterator[str]:
    low, high = schema.get(f"min{name}"), schema.get(f"max{name}")
    if low is not None and high is not None:
        yield f"{low} to {high} {unit}"
    elif low is not None or high is not None:
        yield f"at least {low} {unit}" if high is None else f"at most {high} {unit}"


def _range(schema: _Document) -> Iterator[str]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        yield f"{low:g} to {high:g}"
    elif low is not None:
        yield f"at least {low:g}"
    elif high is not None:
        yield f"at most {high:g}"
    if "exclusiveMinimum" in schema:
        yield f"above {schema['exclusiveMinimum']:g}"
    if "exclusiveMaximum" in schema:
        yield f"below {schema['exclusiveMaximum']:g}"


def _name(schema: _Document) -> str:
    """Return the name of the schema that this one refers to; empty if it refers to none."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _names(schema: object) -> list[str]:
    """Return the names of all schemas that a schema refers to, each once."""
    found: dict[str, None] = {}
    if isinstance(schema, Mapping):
        if name := _name(schema):
            found[name] = None
        for value in schema.values():
            found |= dict.fromkeys(_names(value))
    elif isinstance(schema, list):
        for value in schema:
            found |= dict.fromkeys(_names(value))
    return list(found)


def _text(description: str) -> str:
    return " ".join(description.split())
