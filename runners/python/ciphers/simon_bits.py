"""Simon 128/256 as published comparisons of languages write it.

Message and key are hexadecimal strings, the rounds work on lists of bits, and the result is a hexadecimal string again.
"""

from __future__ import annotations

from ciphers.errors import require_length
from ciphers.simon import SEQUENCES, VARIANTS

_WORD = 64
_ROUNDS, _SEQUENCE = VARIANTS[128, 256]


class SimonBits:
    """Simon 128/256 with one key, on lists of bits."""

    block_bytes = 16

    def __init__(self, key: bytes) -> None:
        """Expand the key."""
        require_length("key", key, 32)
        self._keys = _expand(_to_bits(_printed(key)))

    def encrypt_block(self, block: bytes) -> bytes:
        """Return the ciphertext of 16 bytes."""
        bits = _to_bits(_printed(block))
        left, right = bits[:_WORD], bits[_WORD:]
        for key in self._keys:
            left, right = _xor(_xor(right, _mix(left)), key), left
        return _read(_to_hexadecimal(left + right))

    def decrypt_block(self, block: bytes) -> bytes:
        """Return the plaintext of 16 bytes."""
        bits = _to_bits(_printed(block))
        left, right = bits[:_WORD], bits[_WORD:]
        for key in reversed(self._keys):
            left, right = right, _xor(_xor(left, _mix(right)), key)
        return _read(_to_hexadecimal(left + right))


def _printed(data: bytes) -> str:
    """Return bytes as the paper prints them: the most significant digit first."""
    return data[::-1].hex()


def _read(text: str) -> bytes:
    return bytes.fromhex(text)[::-1]


def _to_bits(text: str) -> list[int]:
    """Return the bits of a hexadecimal string, the most significant one first."""
    return [int(bit) for digit in text for bit in f"{int(digit, 16):04b}"]


def _to_hexadecimal(bits: list[int]) -> str:
    digits = []
    for at in range(0, len(bits), 4):
        a, b, c, d = bits[at : at + 4]
        digits.append(f"{8 * a + 4 * b + 2 * c + d:x}")
    return "".join(digits)


def _xor(left: list[int], right: list[int]) -> list[int]:
    return [a ^ b for a, b in zip(left, right)]


def _and(left: list[int], right: list[int]) -> list[int]:
    return [a & b for a, b in zip(left, right)]


def _left(bits: list[int], count: int) -> list[int]:
    return bits[count:] + bits[:count]


def _right(bits: list[int], count: int) -> list[int]:
    return bits[-count:] + bits[:-count]


def _mix(word: list[int]) -> list[int]:
    return _xor(_and(_left(word, 1), _left(word, 8)), _left(word, 2))


def _expand(key: list[int]) -> list[list[int]]:
    """Return the round keys; the paper prints the words of the key from the last to the first."""
    keys = [key[at : at + _WORD] for at in range(len(key) - _WORD, -1, -_WORD)]
    three = [0] * (_WORD - 2) + [1, 1]
    for i in range(4, _ROUNDS):
        mixed = _xor(_right(keys[i - 1], 3), keys[i - 3])
        mixed = _xor(mixed, _right(mixed, 1))
        constant = [0] * (_WORD - 1) + [int(SEQUENCES[_SEQUENCE][(i - 4) % 62])]
        inverted = [1 - bit for bit in keys[i - 4]]
        keys.append(_xor(_xor(inverted, mixed), _xor(constant, three)))
    return keys
