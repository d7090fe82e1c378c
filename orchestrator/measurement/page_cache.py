"""Brings files into the page cache before an execution, so that no runner waits for a disk."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from orchestrator.errors import MeasurementError

_BLOCK_BYTES = 1024 * 1024


class WarmFiles:
    """The files of a job, kept open and read before each execution that uses them."""

    def __init__(self) -> None:
        """Hold no file yet."""
        self._descriptors: dict[Path, int] = {}
        self._block = bytearray(_BLOCK_BYTES)

    def read(self, path: Path) -> None:
        """Read the whole file; what is in memory already costs 0.1 ms a MiB.

        Raises MeasurementError when it cannot be read.
        """
        try:
            descriptor = self._descriptors.get(path)
            if descriptor is None:
                descriptor = self._descriptors[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            offset = 0
            while count := os.preadv(descriptor, [self._block], offset):
                offset += count
        except OSError as error:
            raise MeasurementError(f"{path} could not be read before the execution: {error.strerror}.") from error

    def close(self) -> None:
        """Close all files."""
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()
