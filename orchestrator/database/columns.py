"""Columns of integers as compact bytes, shared by the codecs of curves and timings.

A column: encoding (1 byte: 0 plain, 1 differences to the previous value, 2 absent), width of a value (1 byte: 1, 2, 4
or 8), and the values. Everything is little-endian; differences are signed. Invalid bytes raise ValueError or
zlib.error, which the codecs turn into their own errors.
"""

import sys
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Self

_PLAIN, _DIFFERENCES, _ABSENT = 0, 1, 2
_SIGNED: Final = {1: "b", 2: "h", 4: "i", 8: "q"}
_LARGEST: Final = 2**63


def encode_integers(values: Sequence[int]) -> bytes:
    """Return a column; raise ValueError for a value below 0 or of 2⁶³ or more."""
    if not values:
        return bytes([_ABSENT, 1])
    if not 0 <= min(values) <= max(values) < _LARGEST:
        raise ValueError(f"a value must be 0 or more and less than 2**63, seen {min(values)} to {max(values)}")
    differences = [values[0], *(after - before for before, after in pairwise(values))]
    plain, compact = _pack(values), _pack(differences)
    # Times grow evenly and memory is constant, so that differences are short and compress well.
    if len(zlib.compress(compact, 1)) < len(zlib.compress(plain, 1)):
        return bytes([_DIFFERENCES]) + compact
    return bytes([_PLAIN]) + plain


@dataclass
class Reader:
    """Cursor in bytes that are read from the beginning."""

    data: bytes
    at: int = 0

    @classmethod
    def of_blob(cls, blob: bytes, version: int, max_bytes: int) -> Self:
        """Return a cursor in the contents of a blob: a byte with its version, and a zlib stream.

        Raises ValueError for another version, contents of more than max_bytes, and a damaged stream.
        """
        if blob[:1] != bytes([version]):
            raise ValueError(f"form {version} was expected, seen: {blob[0] if blob else 'no byte at all'}")
        unpacker = zlib.decompressobj()
        # The limit protects against a small stream that expands to gigabytes.
        data = unpacker.decompress(blob[1:], max_bytes)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("the compressed bytes do not end where they should")
        return cls(data)

    def take(self, count: int) -> bytes:
        """Return the next bytes; raise ValueError if there are fewer."""
        if self.at + count > len(self.data):
            raise ValueError(f"{count} bytes are missing after byte {self.at}")
        taken = self.data[self.at : self.at + count]
        self.at += count
        return taken

    def byte(self) -> int:
        """Return the next byte."""
        return self.take(1)[0]

    def integers(self, count: int) -> list[int]:
        """Return the next column with this number of values, or an empty list for an absent one."""
        encoding, width = self.byte(), self.byte()
        if encoding == _ABSENT:
            return []
        if encoding not in (_PLAIN, _DIFFERENCES) or width not in _SIGNED:
            raise ValueError(f"unknown encoding {encoding} of width {width}")
        found = little_endian(array(_SIGNED[width], self.take(count * width))).tolist()
        if encoding == _DIFFERENCES:
            for index in range(1, len(found)):
                found[index] += found[index - 1]
        return found

    def end(self) -> None:
        """Raise ValueError if bytes remain."""
        if self.at != len(self.data):
            raise ValueError(f"{len(self.data) - self.at} bytes too many")


def little_endian(values: "array[Any]") -> "array[Any]":
    """Convert between the byte order of the machine and the stored one, in place."""
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _pack(values: Sequence[int]) -> bytes:
    largest = max(-min(values) - 1, *values)
    width = next(width for width in _SIGNED if largest < 1 << (8 * width - 1))
    return bytes([width]) + little_endian(array(_SIGNED[width], values)).tobytes()
