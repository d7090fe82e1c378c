"""TinyJAMBU version 2 with keys of 128, 192 and 256 bits (final round of the NIST lightweight competition)."""

from __future__ import annotations

from struct import Struct

from ciphers.bytestrings import equal_tags
from ciphers.errors import AuthenticationFailed, BadLength, require_length

TAG_BYTES = 8
NONCE_BYTES = 12
_STEPS_OF_DATA = 640
_STEPS_OF_MESSAGE = {16: 1024, 24: 1152, 32: 1280}
_NONCE, _DATA, _MESSAGE, _FINAL = 0x10, 0x30, 0x50, 0x70
"""Frame bits, which are added to the second word."""
_WORD = Struct("<I")

State = tuple[int, int, int, int]


class TinyJambu:
    """TinyJAMBU with one key."""

    def __init__(self, key: bytes, key_bytes: int) -> None:
        """Store the key."""
        require_length("key", key, key_bytes)
        self._long = _STEPS_OF_MESSAGE[key_bytes]
        self._keys = _round_keys([word for (word,) in _WORD.iter_unpack(key)], self._long)
        self._keyed = self._permute((0, 0, 0, 0), self._long)

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return ciphertext and tag."""
        state = self._begin(nonce, associated_data)
        parts = []
        for word, size in _words(message):
            a, b, c, d = self._frame(state, _MESSAGE, self._long)
            parts.append(_WORD.pack(c ^ word)[:size])
            state = a, b ^ size % 4, c, d ^ word
        return b"".join(parts) + self._tag(state)

    def decrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the plaintext of ciphertext and tag; raises AuthenticationFailed if the tag does not match."""
        if len(message) < TAG_BYTES:
            raise BadLength(f"the message has {len(message)} bytes, expected at least {TAG_BYTES}")
        ciphertext, tag = message[:-TAG_BYTES], message[-TAG_BYTES:]
        state = self._begin(nonce, associated_data)
        parts = []
        for word, size in _words(ciphertext):
            a, b, c, d = self._frame(state, _MESSAGE, self._long)
            plain = (c ^ word) & (1 << 8 * size) - 1
            parts.append(_WORD.pack(plain)[:size])
            state = a, b ^ size % 4, c, d ^ plain
        if not equal_tags(self._tag(state), tag):
            raise AuthenticationFailed
        return b"".join(parts)

    def _begin(self, nonce: bytes, associated_data: bytes) -> State:
        """Return the state after nonce and associated data."""
        require_length("nonce", nonce, NONCE_BYTES)
        state = self._keyed
        for (word,) in _WORD.iter_unpack(nonce):
            a, b, c, d = self._frame(state, _NONCE, _STEPS_OF_DATA)
            state = a, b, c, d ^ word
        for word, size in _words(associated_data):
            a, b, c, d = self._frame(state, _DATA, _STEPS_OF_DATA)
            state = a, b ^ size % 4, c, d ^ word
        return state

    def _tag(self, state: State) -> bytes:
        state = self._frame(state, _FINAL, self._long)
        first = state[2]
        return _WORD.pack(first) + _WORD.pack(self._frame(state, _FINAL, _STEPS_OF_DATA)[2])

    def _frame(self, state: State, frame: int, steps: int) -> State:
        a, b, c, d = state
        return self._permute((a, b ^ frame, c, d), steps)

    def _permute(self, state: State, steps: int) -> State:
        """Return the keyed permutation: 32 of its steps are independent, so each turn makes 128 with four words."""
        a, b, c, d = state
        for k0, k1, k2, k3 in self._keys[: steps // 128]:
            a ^= (b >> 15 | c << 17 & 0xFFFFFFFF) ^ _nand(c, d) ^ (c >> 27 | d << 5 & 0xFFFFFFFF) ^ k0
            b ^= (c >> 15 | d << 17 & 0xFFFFFFFF) ^ _nand(d, a) ^ (d >> 27 | a << 5 & 0xFFFFFFFF) ^ k1
            c ^= (d >> 15 | a << 17 & 0xFFFFFFFF) ^ _nand(a, b) ^ (a >> 27 | b << 5 & 0xFFFFFFFF) ^ k2
            d ^= (a >> 15 | b << 17 & 0xFFFFFFFF) ^ _nand(b, c) ^ (b >> 27 | c << 5 & 0xFFFFFFFF) ^ k3
        return a, b, c, d


def _nand(low: int, high: int) -> int:
    """Return bits 70 to 101 and not bits 85 to 116 of the state, where low begins at bit 64."""
    return ~((low >> 6 | high << 26) & (low >> 21 | high << 11)) & 0xFFFFFFFF


def _round_keys(words: list[int], steps: int) -> list[tuple[int, ...]]:
    """Return the key words of each 128 steps."""
    count = len(words)
    return [tuple(words[(at + i) % count] for i in range(4)) for at in range(0, steps // 32, 4)]


def _words(data: bytes) -> list[tuple[int, int]]:
    """Return the words of a message with their sizes; the last one may be partial."""
    parts = (data[at : at + 4] for at in range(0, len(data), 4))
    return [(int.from_bytes(part, "little"), len(part)) for part in parts]
