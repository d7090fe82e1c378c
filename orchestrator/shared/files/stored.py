"""Files with one document as JSON each, which a program can make again if it lost them."""

from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from orchestrator.shared.files.complete import replacement

T = TypeVar("T")


class StoredDocument(Generic[T]):
    """A kind of file that contains one document as JSON."""

    def __init__(self, kind: Any) -> None:
        """Take the type of the documents: a model, or a list or mapping of models."""
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)

    def read(self, path: Path) -> T | None:
        """Return the document in a file; None for a missing file, and for a damaged one or one of another version."""
        try:
            return self._adapter.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def write(self, path: Path, document: T) -> None:
        """Write a document in place of another one, completely or not at all; raises OSError."""
        with replacement(path) as new:
            new.write_bytes(self._adapter.dump_json(document))
