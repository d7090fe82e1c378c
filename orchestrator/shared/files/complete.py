"""Files that are written completely or not at all, so that an interrupted one does not look complete."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.shared.errors import InvalidRequest


@contextmanager
def complete(path: Path) -> Iterator[Path]:
    """Yield a new file that replaces another one at the end; raises InvalidRequest if it cannot be written."""
    new = path.with_name(f".{path.name}.new")
    try:
        yield new
        new.replace(path)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be written: {error.strerror}.", field="output") from error
    finally:
        new.unlink(missing_ok=True)
