"""Messages that are no job: kept in a bounded file for whoever wants to know, and out of the way."""

import json
import time
from pathlib import Path

import structlog

MAXIMUM_BYTES = 1024 * 1024
_BODY_CHARACTERS = 4096

_log = structlog.get_logger(__name__)


class SetAside:
    """A file of JSON lines; when it is full the older half goes."""

    def __init__(self, path: Path) -> None:
        """Keep messages in `path`."""
        self._path = path

    def keep(self, body: object, reason: str) -> None:
        """Log the message and keep its beginning; a full disk loses the copy, never the worker."""
        text = repr(body)
        _log.error("message set aside", reason=reason, characters=len(text), begins=text[:200])
        line = json.dumps({"at": time.time(), "reason": reason, "body": text[:_BODY_CHARACTERS]}) + "\n"
        try:
            self._make_room()
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            _log.warning("message could not be kept", error=str(error))

    def _make_room(self) -> None:
        if self._path.exists() and self._path.stat().st_size > MAXIMUM_BYTES:
            lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
            self._path.write_text("".join(lines[len(lines) // 2 :]), encoding="utf-8")
