"""Random bytes from the operating system."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from corpus.material import Material
from corpus.store import BLOCK_BYTES


def random_material() -> Material:
    """Return endless random bytes without a seed."""
    return Material(
        origin="generated",
        title="Random bytes",
        license="none needed",
        address=None,
        offset_bytes=0,
        note="from the random number generator of the operating system",
        open=_open,
    )


@contextmanager
def _open() -> Generator[Iterator[bytes]]:
    yield iter(lambda: os.urandom(BLOCK_BYTES), b"")
