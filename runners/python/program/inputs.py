"""Inputs of commands: keys in hexadecimal, and files."""

from __future__ import annotations

import io
import os
import stat

from program.errors import RunnerError


def counting_bytes(size: int) -> bytes:
    """Return the bytes 00 01 02 …"""
    return bytes(number & 0xFF for number in range(size))


def from_hex(option: str, text: str | None) -> bytes:
    """Return the bytes of an option; raises RunnerError (bad-input)."""
    if text is None:
        return b""
    digits = "0123456789abcdefABCDEF"
    if len(text) % 2 or any(digit not in digits for digit in text):
        raise RunnerError("bad-input", f"{option} is not an even number of hexadecimal digits")
    return bytes.fromhex(text)


def fixed_hex(option: str, text: str | None, expected: int) -> bytes:
    """Return the bytes of an option with a fixed length."""
    value = from_hex(option, text)
    if len(value) != expected:
        raise RunnerError("bad-input", f"{option} has {len(value)} bytes, expected {expected}")
    return value


def given_or_counting(option: str, text: str | None, expected: int) -> bytes:
    """Return the bytes of an option, or 00 01 02 … if it is absent."""
    return counting_bytes(expected) if text is None else fixed_hex(option, text, expected)


class InputFile:
    """A regular file, opened for reading."""

    def __init__(self, path: str) -> None:
        """Open a file; raises RunnerError (bad-input)."""
        self._path = path
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise RunnerError("bad-input", f"{path}: {error.strerror}") from None
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise RunnerError("bad-input", f"{path}: is not a regular file")
        self.size = facts.st_size
        # Unbuffered: the caller's buffer is the only copy. PyPy has no os.readv.
        self._file = io.FileIO(descriptor)

    def read_into(self, buffer: bytearray) -> None:
        """Fill the beginning of a buffer with the file."""
        view, done = memoryview(buffer), 0
        while done < self.size:
            count = self._file.readinto(view[done : self.size])
            if not count:
                raise RunnerError("bad-input", f"{self._path}: was truncated while it was read")
            done += count


def write_file(path: str, content: bytes) -> None:
    """Write a file; raises RunnerError (bad-input)."""
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        raise RunnerError("bad-input", f"{path}: {error.strerror}") from None
