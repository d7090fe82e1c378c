"""Speck, all ten variants (IACR ePrint 2013/404).

Bytes as in the designers' implementation guide: words little-endian, the word that the paper prints last first.
"""

from ciphers.errors import require_length

ROUNDS = {
    (32, 64): 22,
    (48, 72): 22,
    (48, 96): 23,
    (64, 96): 26,
    (64, 128): 27,
    (96, 96): 28,
    (96, 144): 29,
    (128, 128): 32,
    (128, 192): 33,
    (128, 256): 34,
}
"""Rounds by (block bits, key bits)."""


class Speck:
    """Speck with one key."""

    def __init__(self, block_bits: int, key_bits: int, key: bytes) -> None:
        """Expand the key."""
        require_length("key", key, key_bits // 8)
        self.block_bytes = block_bits // 8
        self._bits = block_bits // 2
        self._mask = (1 << self._bits) - 1
        self._alpha, self._beta = (7, 2) if block_bits == 32 else (8, 3)
        self._keys = self._expand(key, ROUNDS[block_bits, key_bits])

    def _expand(self, key: bytes, rounds: int) -> list[int]:
        size = self._bits // 8
        first, *rest = (int.from_bytes(key[at : at + size], "little") for at in range(0, len(key), size))
        keys = [first]
        for i in range(rounds - 1):
            mixed, following = self._round(rest[i], keys[i], i)
            rest.append(mixed)
            keys.append(following)
        return keys

    def _round(self, x: int, y: int, key: int) -> tuple[int, int]:
        bits, mask, alpha, beta = self._bits, self._mask, self._alpha, self._beta
        x = (x >> alpha | x << bits - alpha) + y & mask ^ key
        return x, (y << beta | y >> bits - beta) & mask ^ x

    def encrypt_block(self, block: bytes) -> bytes:
        """Return the ciphertext of one block."""
        bits, mask, alpha, beta = self._bits, self._mask, self._alpha, self._beta
        value = int.from_bytes(block, "little")
        x, y = value >> bits, value & mask
        for key in self._keys:
            x = (x >> alpha | x << bits - alpha) + y & mask ^ key
            y = (y << beta | y >> bits - beta) & mask ^ x
        return (x << bits | y).to_bytes(self.block_bytes, "little")

    def decrypt_block(self, block: bytes) -> bytes:
        """Return the plaintext of one block."""
        bits, mask, alpha, beta = self._bits, self._mask, self._alpha, self._beta
        value = int.from_bytes(block, "little")
        x, y = value >> bits, value & mask
        for key in reversed(self._keys):
            y ^= x
            y = (y >> beta | y << bits - beta) & mask
            x = (x ^ key) - y & mask
            x = (x << alpha | x >> bits - alpha) & mask
        return (x << bits | y).to_bytes(self.block_bytes, "little")
