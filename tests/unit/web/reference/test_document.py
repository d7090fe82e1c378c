from typing import Any

import pytest

from orchestrator.web.reference.document import reference_of, type_label

DOCUMENT: dict[str, Any] = {
    "info": {"version": "1"},
    "paths": {
        "/runs": {
            "post": {
                "tags": ["runs"],
                "operationId": "submit",
                "description": "Submit a plan.\nIt is stored.",
                "security": [{"HTTPBearer": []}],
                "parameters": [
                    {"name": "limit", "in": "query", "required": False, "description": "Maximum.",
                     "schema": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Request"}}}},
                "responses": {
                    "422": {"description": "Invalid."},
                    "201": {"description": "Created."},
                },
            },
            "get": {"tags": ["runs"], "operationId": "list", "responses": {"200": {"description": "OK"}}},
        },
        "/health": {"get": {"operationId": "health", "responses": {"200": {"description": "OK"}}}},
    },
    "components": {
        "schemas": {
            "Request": {
                "examples": [{"plan": "…"}],
                "required": ["plan"],
                "properties": {
                    "plan": {"type": "array", "items": {"$ref": "#/components/schemas/Matrix"}},
                    "note": {"type": "string", "default": "none"},
                },
            },
            "Matrix": {"type": "string", "enum": ["a", "b"], "description": "One of two."},
        }
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "label"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 500}, "integer, 1 to 500"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}, "number, at most 0.5, above 0"),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, "number, at least 0, below 1"),
        ({"type": "string", "minLength": 1, "maxLength": 64}, "string, 1 to 64 characters"),
        ({"type": "string", "maxLength": 64}, "string, at most 64 characters"),
        ({"type": "string", "format": "date-time"}, "string (date-time)"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string or null"),
        ({"enum": ["csv", "jsonl"], "type": "string"}, '"csv" or "jsonl"'),
        ({"const": 1}, "1"),
        ({"type": "array", "items": {"$ref": "#/x/RunSummary"}, "minItems": 1}, "list of RunSummary, at least 1 items"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "object of integer"),
        ({"type": "object", "additionalProperties": True}, "object"),
        ({}, "any"),
    ],
)
def test_type_label_has_limits_and_alternatives(schema: dict[str, Any], label: str) -> None:
    assert type_label(schema) == label


def test_operations_are_grouped_by_tag_in_their_order() -> None:
    page = reference_of(DOCUMENT)
    assert [(group.name, [one.method for one in group.operations]) for group in page.groups] == [
        ("runs", ["POST", "GET"]), ("other", ["GET"]),
    ]  # fmt: skip


def test_operation_has_its_parameters_example_responses_and_errors() -> None:
    operation = reference_of(DOCUMENT).groups[0].operations[0]
    (parameter,), (body,) = operation.parameters, operation.body
    assert (operation.description, operation.needs_token) == ("Submit a plan. It is stored.", True)
    assert (parameter.place, parameter.type, parameter.default) == ("query", "integer, 1 to 500", "50")
    assert (body.type, body.example) == ("Request", '{\n  "plan": "…"\n}')
    assert [reply.status for reply in operation.replies] == ["201"]
    assert [reply.status for reply in operation.problems] == ["422"]


def test_schema_has_its_fields_or_its_type() -> None:
    matrix, request = reference_of(DOCUMENT).schemas
    assert (matrix.type, matrix.description, matrix.fields) == ('"a" or "b"', "One of two.", [])
    assert [(one.name, one.type, one.required, one.default) for one in request.fields] == [
        ("plan", "list of Matrix", True, ""), ("note", "string", False, '"none"'),
    ]  # fmt: skip
    assert request.fields[0].schemas == ["Matrix"]
