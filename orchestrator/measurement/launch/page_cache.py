"""Reading files into the page cache before an execution, so that no runner waits for a disk."""

import ctypes
import mmap
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.evictions import Evictions
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import MeasurementError

_BLOCK_BYTES = 128 * 1024
_PAGE_BYTES = mmap.PAGESIZE
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class _Mapped:
    """File that is mapped, so that the kernel can report which of its pages are in memory."""

    map: mmap.mmap
    anchor: ctypes.c_char
    """Reference to the mapping's address; it must be deleted before the mapping is closed."""
    residency: ctypes.Array[ctypes.c_ubyte]

    @classmethod
    def of(cls, descriptor: int) -> "_Mapped | None":
        """Return a private mapping of a file, or None if the file is empty or the address space too small."""
        try:
            mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_COPY)
        except (ValueError, OSError):
            return None
        pages = (len(mapped) + _PAGE_BYTES - 1) // _PAGE_BYTES
        return cls(mapped, ctypes.c_char.from_buffer(mapped), (ctypes.c_ubyte * pages)())

    def is_resident(self) -> bool:
        """Return whether every page is in memory (mincore); False if the kernel does not report it."""
        address, length = ctypes.c_void_p(ctypes.addressof(self.anchor)), ctypes.c_size_t(len(self.map))
        return _LIBC.mincore(address, length, self.residency) == 0 and 0 not in bytes(self.residency)


@dataclass(frozen=True)
class _Open:
    descriptor: int
    mapped: _Mapped | None


class WarmFiles(Closable):
    """Open files of a job, which are in memory before each execution that uses them.

    The pages of a file are examined before its first use, and again after the kernel took pages out of memory. A file
    that another process drops by posix_fadvise(2) changes no counter: call `forget` after a major fault.
    """

    def __init__(self, evictions: Evictions | None = None) -> None:
        """Start without files. evictions: by default those of this machine; closed with the files."""
        self._evictions = evictions or Evictions()
        self._files: dict[Path, _Open] = {}
        self._resident: set[Path] = set()
        self._block = bytearray(_BLOCK_BYTES)

    def warm(self, paths: Collection[Path]) -> None:
        """Read the files that may not be in memory. Raises MeasurementError if one cannot be read."""
        if not self.are_warm(paths):
            for path in paths:
                self._warm(path)
                self._resident.add(path)

    def are_warm(self, paths: Collection[Path]) -> bool:
        """Return whether all files are in memory, by the counters of the kernel."""
        if self._evictions.occurred():
            self.forget()
        return self._resident.issuperset(paths)

    def forget(self) -> None:
        """Examine every file again before its next use."""
        self._resident.clear()

    def _warm(self, path: Path) -> None:
        """Read a file unless it is in memory already; the check takes a tenth of the time of reading."""
        try:
            file = self._files.get(path)
            if file is None:
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                file = self._files[path] = _Open(descriptor, _Mapped.of(descriptor))
            if file.mapped is None or not file.mapped.is_resident():
                self._read(file.descriptor)
        except OSError as error:
            raise MeasurementError(f"{path} could not be read before the execution: {error.strerror}.") from error

    def close(self) -> None:
        """Close all files; mappings are released with their last reference."""
        for file in self._files.values():
            os.close(file.descriptor)
        self._files.clear()
        self._resident.clear()
        self._evictions.close()

    def _read(self, descriptor: int) -> None:
        offset = 0
        while count := os.preadv(descriptor, [self._block], offset):
            offset += count
