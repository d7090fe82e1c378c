"""The implementations of the binding: every algorithm of the library of our own ciphers."""

from __future__ import annotations

from collections.abc import Callable

from ciphers import library
from program.implementation import Cipher, Implementation

PROVIDER = "python-binding"


def implementations() -> list[Implementation]:
    """Return all implementations; the library selects the variant for the processor."""
    return [
        Implementation(variant="library", make=_keyed(number), **facts)
        for number, facts in enumerate(library.algorithms())
    ]


def _keyed(number: int) -> Callable[[bytes], Cipher]:
    def make(key: bytes) -> Cipher:
        return library.Key(number, key)

    return make
