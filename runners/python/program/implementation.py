"""Description of an implementation, whose ciphers are in the package `ciphers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Cipher(Protocol):
    """An algorithm with a key."""

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the ciphertext, with the tag behind it for an AEAD."""

    def decrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the plaintext."""


@dataclass(frozen=True)
class Implementation:
    """One algorithm in one variant."""

    algorithm: str
    variant: str
    kind: str
    key_bytes: int
    nonce_bytes: int
    tag_bytes: int
    block_bytes: int
    source: str
    make: Callable[[bytes], Cipher]
    """Sets a key."""
    whole_blocks_only: bool = False
    default: bool = True
    constant_time: bool = False

    def line(self) -> str:
        """Return its line in the answer to `list`."""
        sizes = (self.key_bytes, self.nonce_bytes, self.tag_bytes, self.block_bytes)
        facts = (*sizes, int(self.whole_blocks_only), int(self.constant_time), int(self.default))
        return " ".join(map(str, ("implementation", self.algorithm, self.variant, self.kind, *facts, "-", self.source)))
