"""Dead letters: messages that are not jobs of this agent, kept in a bounded file for inspection."""

import json
import time
from pathlib import Path

import structlog

DEAD_LETTERS_FILE = "dead-letters.jsonl"
"""Name of the file in the data folder."""
MAX_BYTES = 1024 * 1024
"""Size at which the older half of the file is dropped."""
_BODY_CHARACTERS = 4096

_log = structlog.get_logger(__name__)


class DeadLetters:
    """A file of JSON lines; when it is full, the older half is dropped."""

    def __init__(self, path: Path) -> None:
        """Keep messages in `path`."""
        self._path = path

    def keep(self, body: object, reason: str) -> None:
        """Log the message and store its beginning; on a full disk only the copy is lost."""
        text = repr(body)
        _log.error("message dead-lettered", reason=reason, characters=len(text), begins=text[:200])
        line = json.dumps({"at": time.time(), "reason": reason, "body": text[:_BODY_CHARACTERS]}) + "\n"
        try:
            self._make_room()
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            _log.warning("dead letter not stored", error=str(error))

    def _make_room(self) -> None:
        if self._path.exists() and self._path.stat().st_size > MAX_BYTES:
            lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
            self._path.write_text("".join(lines[len(lines) // 2 :]), encoding="utf-8")
