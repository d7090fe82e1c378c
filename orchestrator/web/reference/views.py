"""Data of the page of the API reference."""

from orchestrator.web.views import View


class Field(View):
    """A parameter of an operation, or a field of a schema."""

    name: str
    place: str
    """``path``, ``query``, ``header`` or ``cookie``; empty for a field of a schema."""
    type: str
    """``integer, 1 to 500``, ``list of RunSummary`` …"""
    schemas: list[str]
    """Names of the schemas in the type."""
    required: bool
    default: str
    """As JSON; empty if there is none."""
    description: str


class Content(View):
    """The body of a request or response."""

    media_type: str
    type: str
    schemas: list[str]
    example: str
    """As indented JSON; empty if there is none."""


class Reply(View):
    """A response of an operation."""

    status: str
    description: str
    content: list[Content]


class Operation(View):
    """One method of one path."""

    id: str
    method: str
    path: str
    description: str
    parameters: list[Field]
    body: list[Content]
    replies: list[Reply]
    problems: list[Reply]
    """Documented errors; all have problem details."""
    needs_token: bool


class Group(View):
    """The operations with one tag."""

    name: str
    operations: list[Operation]


class Schema(View):
    """A schema of requests or responses."""

    name: str
    type: str
    schemas: list[str]
    description: str
    fields: list[Field]


class ReferencePage(View):
    """The whole reference."""

    version: str
    groups: list[Group]
    schemas: list[Schema]
