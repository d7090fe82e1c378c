"""Limits of a server process that depend on the system."""

import resource
from dataclasses import replace

from orchestrator.service.server.connections import ConnectionLimits

BACKLOG = 512
"""Connections that are accepted in one turn of the event loop."""
OTHER_FILES = 512
"""Open files that are not connections: the database, chunks, programs."""


def connection_limits() -> ConnectionLimits:
    """Raise this process's limit of open files, and return limits of connections that leave room for other files."""
    limits = ConnectionLimits()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = limits.total + OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        files = min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return within_files(limits, files)


def within_files(limits: ConnectionLimits, files: int) -> ConnectionLimits:
    """Return limits for a process that may have this many open files."""
    total = min(limits.total, max(files - OTHER_FILES, files // 2))
    return replace(limits, total=total, of_address=min(limits.of_address, total))
