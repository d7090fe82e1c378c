"""Models of the API with the fields that a test is about."""

from collections.abc import Mapping
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

EMPTY = (bool, int, float, str, list, dict)


def built(model: type[BaseModel], values: Mapping[str, Any] | None = None, /, **changes: Any) -> Any:
    """Return a model with these values, those of models in it included.

    Another field has its default, or is empty: None, 0, no text, an empty list, or the first of its literals.
    """

    def value_of(annotation: Any, value: Any) -> Any:
        inner = _model_in(annotation)
        if isinstance(value, str) and datetime in (annotation, *get_args(annotation)):
            return datetime.fromisoformat(value)
        if inner is None:
            return value
        if isinstance(value, list):
            return [value_of(annotation, one) for one in value]
        return built(inner, value) if isinstance(value, dict) else value

    given = {**(values or {}), **changes}
    made = {}
    for name, field in model.model_fields.items():
        key = name if name in given else field.serialization_alias
        if key in given:
            made[name] = value_of(field.annotation, given[key])
        elif field.is_required():
            made[name] = _empty(field.annotation)
    return model.model_construct(**made)


def _empty(annotation: Any) -> Any:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType, Annotated):
        return None if NoneType in parts else _empty(parts[0])
    if origin is Literal:
        return parts[0]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return built(annotation)
    kind = origin or annotation
    return kind() if kind in EMPTY else None


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _model_in(one))), None)
