"""Every text in a message is a name of a fixed format, or is made visible when it arrives."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, StringConstraints
from pydantic.fields import FieldInfo

from orchestrator.wire import (
    agents,
    base,
    builds,
    cross_builds,
    downloads,
    health,
    heartbeats,
    jobs,
    plans,
    records,
    runners,
)

MODULES = (agents, builds, cross_builds, downloads, health, heartbeats, jobs, plans, records, runners)
MODELS = [
    model
    for module in MODULES
    for model in vars(module).values()
    if isinstance(model, type) and issubclass(model, BaseModel) and model.__module__ == module.__name__
]


def unchecked_texts(annotation: Any, metadata: tuple[Any, ...] = ()) -> Iterator[str]:
    """Yield a description of each text of a type without a pattern and without a validator."""
    if get_origin(annotation) is Annotated:
        yield from unchecked_texts(get_args(annotation)[0], (*metadata, *get_args(annotation)[1:]))
    elif annotation is str:
        patterns = (constraint.pattern for constraint in metadata if isinstance(constraint, StringConstraints))
        general = (getattr(constraint, "pattern", None) for constraint in metadata)
        validators = any(type(constraint).__name__ == "AfterValidator" for constraint in metadata)
        if not validators and not any((*patterns, *general)):
            yield "str"
    elif annotation in (object, Any):
        if not any(type(constraint).__name__ == "AfterValidator" for constraint in metadata):
            yield "object"
    elif get_origin(annotation) is not Literal:
        for part in get_args(annotation):
            # The validator of a document is that of the whole mapping.
            yield from unchecked_texts(part, metadata if get_origin(annotation) is dict else ())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_text_arrives_unchecked(model: type[BaseModel]) -> None:
    fields: dict[str, FieldInfo] = model.model_fields
    assert {name: list(unchecked_texts(field.annotation, tuple(field.metadata))) for name, field in fields.items()} == {
        name: [] for name in fields
    }


def test_bare_text_is_found() -> None:
    assert list(unchecked_texts(dict[base.Line, str | None])) == ["str"]
    assert list(unchecked_texts(dict[str, object])) == ["str", "object"]
    assert list(unchecked_texts(list[base.Sha256])) == []
