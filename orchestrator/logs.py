"""Logging: one event per line on standard error, a constant message with fields."""

import logging
import sys
from typing import Literal

import structlog

Level = Literal["debug", "info", "warning", "error"]


def configure(level: Level) -> None:
    """Configure structlog, and the standard library's logging for Celery, uvicorn, and Alembic."""
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
    for name in ("httpx", "httpcore", "alembic", "celery", "kombu"):
        # At a lower level, each heartbeat and each tick would be logged.
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
    line = "timestamp=%(asctime)s level=%(levelname)s logger=%(name)s event=%(message)r"
    logging.basicConfig(level=max(number, logging.INFO), format=line, stream=sys.stderr, force=True)
