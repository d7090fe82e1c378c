"""Codec of imported readings: a zlib stream of doubles, little-endian, after one byte with the version."""

import zlib
from array import array
from collections.abc import Sequence
from typing import Final

from orchestrator.database.columns import Reader, little_endian
from orchestrator.results.imports.document import MAX_READINGS
from orchestrator.shared.errors import TimingsDamaged

VERSION: Final = 1
_BYTES: Final = 8


def encode(readings: Sequence[float]) -> bytes:
    """Return the blob of some readings."""
    return bytes([VERSION]) + zlib.compress(little_endian(array("d", readings)).tobytes(), 6)


def decode(blob: bytes) -> list[float]:
    """Return the readings in a blob; raise TimingsDamaged for invalid bytes."""
    try:
        values = array("d")
        values.frombytes(Reader.of_blob(blob, VERSION, _BYTES * MAX_READINGS).data)
    except (zlib.error, ValueError) as error:
        raise TimingsDamaged(
            f"The imported readings cannot be read: {error}.", remedy="Delete the import, and import the file again."
        ) from error
    return little_endian(values).tolist()
