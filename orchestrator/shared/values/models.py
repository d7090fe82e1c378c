"""Base of all models of pydantic here, and models that several features show.

Apart from forms.py, which commands import that start without pydantic.
"""

from typing import Self

from pydantic import BaseModel, ConfigDict


class LazyModel(BaseModel):
    """Model whose validator is made when it is first used, not when its module is imported.

    A process uses few of the models that it imports: making all took a quarter of the start of the service (2026-11).
    """

    model_config = ConfigDict(defer_build=True)

    @classmethod
    def from_row(cls, row: object, **others: object) -> Self:
        """Return the model of a row: these values, for other fields the row's attributes, and defaults for the rest."""
        own = {name: getattr(row, name) for name in cls.model_fields if name not in others and hasattr(row, name)}
        return cls.model_validate(own | others)


class FormFields(LazyModel):
    """Form of an implementation in a schema; all null for an unmasked one."""

    shares: int | None = None
    masking: str | None = None
    """Degree: full, init-final or init."""
    generator: str | None = None
    """Random generator."""


class EndedExecutions(LazyModel):
    """Executions that ended, by state."""

    ok: int
    failed: int
    wrong: int
    disputed: int
    skipped: int
