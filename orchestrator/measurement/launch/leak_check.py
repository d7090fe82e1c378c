"""Programs with LeakSanitizer, which cannot examine its process while another one traces it, and then fails."""

import mmap
from functools import cache
from pathlib import Path

_MAGIC = b"\x7fELF"
_NAMES = (b"libasan.so", b"liblsan.so", b"LeakSanitizer")
"""Shared libraries of GCC, and the text of a runtime that was linked statically, as Clang does."""


def has_leak_check(program: Path) -> bool:
    """Return whether the program is an ELF file with LeakSanitizer; False if it is unreadable."""
    try:
        facts = program.stat()
    except OSError:
        return False
    return _contains_names(program, facts.st_ino, facts.st_mtime_ns)


@cache
def _contains_names(program: Path, inode: int, modified_ns: int) -> bool:
    try:
        with program.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return any(content.find(name) >= 0 for name in _NAMES)
    except (OSError, ValueError):
        return False
