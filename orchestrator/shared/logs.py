"""Logging: one event per line on standard error, a constant message with fields."""

import errno
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, TextIO, cast

import structlog
from structlog.typing import EventDict

from orchestrator.shared.values.text import visible

Level = Literal["debug", "info", "warning", "error"]
_TOKEN = re.compile(r"(cm_[a-z]+_)[\w-]{20,}")


class _StandardError:
    """Standard error at the time of each line: a program may replace `sys.stderr` after the configuration.

    It can be a file. On a full disk its lines are lost, and the program goes on.
    """

    def write(self, text: str) -> int:
        """Write text and return its length."""
        with _unless_full():
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush what was written."""
        with _unless_full():
            sys.stderr.flush()

    def __getattr__(self, name: str) -> Any:
        """Return what else a stream has: whether it is a terminal, its encoding."""
        return getattr(sys.stderr, name)


class _Log(_StandardError):
    """Standard error without tokens: the address of a share link has one, and levels such as debug name addresses."""

    def write(self, text: str) -> int:
        """Write text with tokens cut after their role, and return its length."""
        return super().write(_TOKEN.sub(r"\1...", text))


@contextmanager
def _unless_full() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise


def standard_error() -> TextIO:
    """Return standard error for lines that no program needs to go on."""
    return cast("TextIO", _StandardError())


def _visible(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Make control characters visible: a terminal that shows the log must not obey the texts of other programs."""
    return {name: visible(value) if isinstance(value, str) else value for name, value in event.items()}


def configure(level: Level) -> None:
    """Configure structlog, and the standard library's logging for Celery, uvicorn, and Alembic."""
    stream = cast("TextIO", _Log())
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _visible,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    for name in ("httpx", "httpcore", "alembic", "celery", "kombu"):
        # At a lower level, each heartbeat and each tick would be logged.
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
    line = "timestamp=%(asctime)s level=%(levelname)s logger=%(name)s event=%(message)r"
    logging.basicConfig(level=max(number, logging.INFO), format=line, stream=stream, force=True)
