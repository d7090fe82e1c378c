"""The reason with which a daemon ended for good, in a file of its data folder, for `daemon status` and `up`."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from orchestrator.shared.errors import Forbidden, SecondSession, Unauthorized
from orchestrator.wire.base import Report

ENDING_FILE = "ended.json"


class Ending(Report):
    """Why the service no longer accepts this daemon."""

    reason: str
    """With the remedy."""
    ended_at: datetime


@contextmanager
def noted_end(data_folder: Path) -> Iterator[None]:
    """Write the reason into the data folder if the service ends the session within this context."""
    try:
        yield
    except (Unauthorized, Forbidden, SecondSession) as error:
        ending = Ending(reason=f"{error.detail} {error.remedy}".strip(), ended_at=datetime.now(UTC))
        # On a full disk, the log has the reason, too.
        with suppress(OSError):
            (data_folder / ENDING_FILE).write_text(ending.model_dump_json(), encoding="utf-8")
        raise


def forget_end(data_folder: Path) -> None:
    """Remove the file, because the service accepts the daemon again."""
    with suppress(OSError):
        (data_folder / ENDING_FILE).unlink(missing_ok=True)


def find_end(data_folder: Path) -> Ending | None:
    """Return why the daemon ended for good, or None if it did not."""
    try:
        return Ending.model_validate_json((data_folder / ENDING_FILE).read_bytes())
    except (OSError, ValidationError):
        return None
