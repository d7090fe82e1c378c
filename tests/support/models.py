"""Models of the API with the fields that a test is about."""

from datetime import datetime
from typing import Any, get_args

from pydantic import BaseModel


def built(model: type[BaseModel], values: dict[str, Any]) -> Any:
    """Return a model with these values, those of models in it included; every other field is None."""

    def value_of(name: str, value: Any) -> Any:
        annotation = model.model_fields[name].annotation
        inner = _model_in(annotation)
        if isinstance(value, str) and datetime in (annotation, *get_args(annotation)):
            return datetime.fromisoformat(value)
        if inner is None or value is None:
            return value
        return [built(inner, one) for one in value] if isinstance(value, list) else built(inner, value)

    fields = model.model_fields.items()
    given = {name: values.get(field.serialization_alias or name) for name, field in fields}
    return model.model_construct(**{name: value_of(name, value) for name, value in given.items()})


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _model_in(one))), None)
