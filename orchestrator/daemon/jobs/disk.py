"""A full disk: measuring stops, what is stored stays, and it goes on when there is room."""

import errno

from orchestrator.errors import SetupError


class DiskFull(SetupError):
    """The disk is full: nothing more is measured until there is room."""


def is_full(error: OSError) -> bool:
    """Tell whether the error means that there is no room left (disk or quota)."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
