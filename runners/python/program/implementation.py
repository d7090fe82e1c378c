"""Description of an implementation, whose ciphers are in the package `ciphers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from program.errors import RunnerError


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

    def require_message(self, size: int) -> None:
        """Raise RunnerError for a length that the algorithm does not take."""
        if self.whole_blocks_only and size % self.block_bytes:
            raise RunnerError(
                "bad-input",
                f"the message has {size} bytes, expected a multiple of {self.block_bytes} for {self.algorithm}",
            )
