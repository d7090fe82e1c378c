"""How programs log: one event a line on standard error, a constant message with fields."""

import logging
import sys
from typing import Literal

import structlog

Level = Literal["debug", "info", "warning", "error"]


def configure(level: Level) -> None:
    """Set up structlog, and the standard library's log for the packages that use it (Celery, uvicorn, Alembic)."""
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    for chatty in ("httpx", "httpcore", "alembic", "celery", "kombu"):
        # Each heartbeat and each tick would be a line of theirs.
        logging.getLogger(chatty).setLevel(max(number, logging.WARNING))
    line = "timestamp=%(asctime)s level=%(levelname)s logger=%(name)s event=%(message)r"
    logging.basicConfig(level=max(number, logging.INFO), format=line, stream=sys.stderr, force=True)
