"""Logging: one event per line on standard error, a constant message with fields."""

import logging
import sys
from typing import Literal, TextIO, cast

import structlog
from structlog.typing import EventDict

from orchestrator.values.text import visible

Level = Literal["debug", "info", "warning", "error"]


class _StandardError:
    """Standard error at the time of each line: a program may replace `sys.stderr` after the configuration."""

    def write(self, text: str) -> int:
        """Write text and return its length."""
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Flush what was written."""
        sys.stderr.flush()


def _visible(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Make control characters visible: a terminal that shows the log must not obey the texts of other programs."""
    return {name: visible(value) if isinstance(value, str) else value for name, value in event.items()}


def configure(level: Level) -> None:
    """Configure structlog, and the standard library's logging for Celery, uvicorn, and Alembic."""
    standard_error = cast("TextIO", _StandardError())
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
        logger_factory=structlog.WriteLoggerFactory(standard_error),
        cache_logger_on_first_use=True,
    )
    for name in ("httpx", "httpcore", "alembic", "celery", "kombu"):
        # At a lower level, each heartbeat and each tick would be logged.
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
    line = "timestamp=%(asctime)s level=%(levelname)s logger=%(name)s event=%(message)r"
    logging.basicConfig(level=max(number, logging.INFO), format=line, stream=standard_error, force=True)
