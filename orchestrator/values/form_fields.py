"""Form of an implementation in a schema; apart from forms.py, which commands import that start without pydantic."""

from pydantic import BaseModel


class FormFields(BaseModel):
    """Form of an implementation in a schema; all null for an unmasked one."""

    shares: int | None = None
    masking: str | None = None
    """Degree: full, init-final or init."""
    generator: str | None = None
    """Random generator."""
