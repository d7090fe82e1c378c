"""Simon, all ten variants (IACR ePrint 2013/404), on machine words.

Bytes as in the designers' implementation guide: words little-endian, the word that the paper prints last first.
"""

from ciphers.errors import require_length

# (block bits, key bits) -> (rounds, constant sequence)
VARIANTS = {
    (32, 64): (32, 0),
    (48, 72): (36, 0),
    (48, 96): (36, 1),
    (64, 96): (42, 2),
    (64, 128): (44, 3),
    (96, 96): (52, 2),
    (96, 144): (54, 3),
    (128, 128): (68, 2),
    (128, 192): (69, 3),
    (128, 256): (72, 4),
}
SEQUENCES = (
    "11111010001001010110000111001101111101000100101011000011100110",
    "10001110111110010011000010110101000111011111001001100001011010",
    "10101111011100000011010010011000101000010001111110010110110011",
    "11011011101011000110010111100000010010001010011100110100001111",
    "11010001111001101011011000100000010111000011001010010011101111",
)


class Simon:
    """Simon with one key."""

    def __init__(self, block_bits: int, key_bits: int, key: bytes) -> None:
        """Expand the key."""
        require_length("key", key, key_bits // 8)
        self.block_bytes = block_bits // 8
        self._bits = block_bits // 2
        self._mask = (1 << self._bits) - 1
        self._keys = self._expand(key, *VARIANTS[block_bits, key_bits])

    def _expand(self, key: bytes, rounds: int, sequence: int) -> list[int]:
        bits, mask, size = self._bits, self._mask, self._bits // 8
        keys = [int.from_bytes(key[at : at + size], "little") for at in range(0, len(key), size)]
        words = len(keys)
        for i in range(words, rounds):
            mixed = keys[-1] >> 3 | keys[-1] << bits - 3
            if words == 4:
                mixed ^= keys[-3]
            mixed &= mask
            mixed ^= mixed >> 1 | mixed << bits - 1
            constant = int(SEQUENCES[sequence][(i - words) % 62])
            keys.append((~keys[i - words] ^ mixed ^ constant ^ 3) & mask)
        return keys

    def encrypt_block(self, block: bytes) -> bytes:
        """Return the ciphertext of one block."""
        y, x = self._load(block)
        x, y = self._rounds(x, y, self._keys)
        return self._store(y, x)

    def decrypt_block(self, block: bytes) -> bytes:
        """Return the plaintext of one block: the same rounds with the halves and the keys in reverse."""
        y, x = self._load(block)
        y, x = self._rounds(y, x, self._keys[::-1])
        return self._store(y, x)

    def _rounds(self, x: int, y: int, keys: list[int]) -> tuple[int, int]:
        bits, mask = self._bits, self._mask
        for key in keys:
            wide = x << bits | x  # Its bits from n - r on are x rotated to the left by r.
            mixed = (wide >> bits - 1 & wide >> bits - 8 ^ wide >> bits - 2) & mask
            x, y = y ^ mixed ^ key, x
        return x, y

    def _load(self, block: bytes) -> tuple[int, int]:
        value = int.from_bytes(block, "little")
        return value & self._mask, value >> self._bits

    def _store(self, low: int, high: int) -> bytes:
        return (high << self._bits | low).to_bytes(self.block_bytes, "little")
