"""Errors that end a command: the exit code and the line on standard error."""

from __future__ import annotations

EXIT_CODES = {
    "usage": 2,
    "unknown-algorithm": 3,
    "unknown-variant": 3,
    "bad-input": 4,
    "authentication-failed": 5,
    "not-verified": 6,
    "internal": 70,
}


class RunnerError(Exception):
    """Failure of a command.

    name: one of EXIT_CODES.
    """

    def __init__(self, name: str, detail: str) -> None:
        """Store the name and the sentence."""
        super().__init__(detail)
        self.name = name
        self.detail = detail

    @property
    def exit_code(self) -> int:
        """Exit code of the process."""
        return EXIT_CODES[self.name]
