"""Codec of timings: one compressed blob of columns for all timings of a latency execution.

Form, version 1: one byte version; the rest is a zlib stream of: number of timings (4 bytes), then the columns in the
order of ``wire.records.TimingSeries``, each with a bit mask of the present values (one bit per timing, the first one
lowest, in whole bytes) and the present values: integers as in columns.py, real numbers as doubles. Everything is
little-endian.
History: 1, the first (2026-11).
"""

import struct
import zlib
from array import array
from collections.abc import Sequence
from typing import Final

from orchestrator.database.columns import Reader, encode_integers, little_endian
from orchestrator.shared.errors import TimingsDamaged
from orchestrator.wire.records import TimingSeries

VERSION: Final = 1
MAX_TIMINGS: Final = 1000
"""Limit of the wire messages; a blob with more timings is damaged."""

_INTEGERS: Final = ("iterations", "wall_ns", "cpu_ns", "cycles", "instructions")
_REALS: Final = ("core_clock_hz", "derived_cycles")
_HEADER: Final = struct.Struct("<I")
_MAX_BYTES: Final = _HEADER.size + (len(_INTEGERS) + len(_REALS)) * (2 + 9 * MAX_TIMINGS)
_REMEDY = "The medians of the execution are whole; restore the database from a backup to have its timings again."


def encode(timings: TimingSeries) -> bytes:
    """Return the blob of some timings; raise ValueError for an integer of 2⁶³ or more."""
    parts = [_HEADER.pack(len(timings.iterations))]
    for name in _INTEGERS:
        values: list[int | None] = getattr(timings, name)
        parts += [_presence(values), encode_integers([value for value in values if value is not None])]
    for name in _REALS:
        reals: list[float | None] = getattr(timings, name)
        there = array("d", [value for value in reals if value is not None])
        parts += [_presence(reals), little_endian(there).tobytes()]
    return bytes([VERSION]) + zlib.compress(b"".join(parts), 6)


def decode(blob: bytes) -> TimingSeries:
    """Return the timings in a blob; raise TimingsDamaged for invalid bytes."""
    try:
        return _decode(Reader.of_blob(blob, VERSION, _MAX_BYTES))
    except (zlib.error, ValueError) as error:  # A ValidationError is a ValueError.
        raise TimingsDamaged(f"The timings of this execution cannot be read: {error}.", remedy=_REMEDY) from error


def _decode(reader: Reader) -> TimingSeries:
    (count,) = _HEADER.unpack(reader.take(_HEADER.size))
    if count > MAX_TIMINGS:
        raise ValueError(f"{count} timings, allowed are {MAX_TIMINGS}")
    columns: dict[str, Sequence[float | None]] = {}
    for name in _INTEGERS:
        present = _present(reader, count)
        columns[name] = _at_positions(present, reader.integers(sum(present)))
    for name in _REALS:
        present = _present(reader, count)
        columns[name] = _at_positions(present, little_endian(array("d", reader.take(8 * sum(present)))).tolist())
    reader.end()
    return TimingSeries.model_validate(columns)


def _presence(values: Sequence[float | None]) -> bytes:
    bits = sum(1 << index for index, value in enumerate(values) if value is not None)
    return bits.to_bytes((len(values) + 7) // 8, "little")


def _present(reader: Reader, count: int) -> list[bool]:
    bits = int.from_bytes(reader.take((count + 7) // 8), "little")
    return [bool(bits >> index & 1) for index in range(count)]


def _at_positions(present: Sequence[bool], values: Sequence[float]) -> list[float | None]:
    """Return the values at the positions of the present ones; raise ValueError if their number differs."""
    if len(values) != sum(present):
        raise ValueError(f"a column has {len(values)} values, expected {sum(present)}")
    rest = iter(values)
    return [next(rest) if there else None for there in present]
