from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import TypeAdapter, ValidationError

from orchestrator.app import create_app
from orchestrator.runs.schemas import Tag
from orchestrator.service.security.dependencies import RunId
from orchestrator.shared.values.field_errors import field_errors
from orchestrator.shared.values.text import words_of
from orchestrator.wire.agents import AgentLabel, AgentName
from orchestrator.wire.base import AgentId, AlgorithmId
from orchestrator.wire.plans import Plan
from tests.support.migrated_database import migrated_settings

OF_LABELS = "letters, digits, dots, underscores and hyphens, the first one a letter or digit"


def patterns(schema: Any) -> Iterator[str]:
    """Yield the patterns in a JSON schema."""
    if isinstance(schema, dict):
        yield from (value for name, value in schema.items() if name == "pattern" and isinstance(value, str))
        schema = list(schema.values())
    if isinstance(schema, list):
        for one in schema:
            yield from patterns(one)


def test_every_pattern_of_a_plan_has_words() -> None:
    """Regression: a mistyped architecture was "expected a text that matches ^[a-z0-9_]+$"."""
    assert [one for one in patterns(Plan.model_json_schema()) if words_of(one).startswith("a text that")] == []


def test_every_pattern_of_an_address_has_words(tmp_path: Path) -> None:
    """Regression: `/runs/ID/answer?min_tag=x` was "expected a text that matches ^[0-9]{0,4}$"."""
    routes = iter_route_contexts(create_app(migrated_settings(data_folder=tmp_path)).routes)
    dependants = [one.dependant for one in routes if isinstance(one.original_route, APIRoute)]
    dependants += [one for dependant in dependants for one in dependant.dependencies]
    fields = [one for dependant in dependants for one in (*dependant.path_params, *dependant.query_params)]
    found = {getattr(one, "pattern", None) for field in fields for one in field.field_info.metadata} - {None}
    assert [one for one in found if words_of(one).startswith("a text that")] == []
    assert found


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Tag, f"expected 1 to 32 {OF_LABELS}"),
        (AgentLabel, f"expected 1 to 32 {OF_LABELS}"),
        (AgentName, f"expected 1 to 63 {OF_LABELS}"),
        (RunId, "expected an id: 1 to 40 letters, digits, underscores and hyphens"),
        (AgentId, "expected an id of 12 lower-case letters and digits"),
        (AlgorithmId, "expected lower-case letters and digits, with single hyphens between them, such as aes-128"),
    ],
)
def test_error_has_the_words_of_a_pattern(kind: Any, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(kind).validate_python("a b!")
    assert field_errors(refused.value.errors())[0].allowed == words
