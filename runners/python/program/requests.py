"""Lines and bytes of the driver."""

from __future__ import annotations

import io

_READ_BYTES = 1 << 16


class Requests:
    """Lines, and bytes that follow them. Unbuffered where it matters: long messages go straight to their place."""

    def __init__(self, stream: io.RawIOBase) -> None:
        """Read from a stream."""
        self._stream = stream
        self._read = b""

    def line(self) -> bytes:
        """Return the next line without its end; raises EOFError."""
        while b"\n" not in self._read:
            more = self._stream.read(_READ_BYTES)
            if not more:
                raise EOFError
            self._read += more
        line, self._read = self._read.split(b"\n", 1)
        return line

    def fill(self, buffer: memoryview) -> None:
        """Fill a buffer with the bytes that follow; raises EOFError."""
        done = min(len(buffer), len(self._read))
        buffer[:done], self._read = self._read[:done], self._read[done:]
        while done < len(buffer):
            count = self._stream.readinto(buffer[done:])
            if not count:
                raise EOFError
            done += count
