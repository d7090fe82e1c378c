"""Ascon-AEAD128 (NIST SP 800-232)."""

from __future__ import annotations

from struct import Struct

from ciphers.bytestrings import equal_tags
from ciphers.errors import AuthenticationFailed, BadLength, require_length

TAG_BYTES = 16
_RATE = 16
_MASK = 0xFFFFFFFFFFFFFFFF
_IV = 0x00001000808C0001
_SEPARATOR = 1 << 63
_CONSTANTS = (0xF0, 0xE1, 0xD2, 0xC3, 0xB4, 0xA5, 0x96, 0x87, 0x78, 0x69, 0x5A, 0x4B)
_PAIR = Struct("<2Q")

State = tuple[int, int, int, int, int]


def _permute(state: State, rounds: int) -> State:
    """Return the permutation of section 3."""
    a, b, c, d, e = state
    for constant in _CONSTANTS[12 - rounds :]:
        a ^= e
        e ^= d
        c ^= b ^ constant
        a, b, c, d, e = a ^ ~b & c, b ^ ~c & d, c ^ ~d & e, d ^ ~e & a, e ^ ~a & b
        b ^= a
        a ^= e
        d ^= c
        c ^= _MASK
        a ^= (a >> 19 | a << 45) & _MASK ^ (a >> 28 | a << 36) & _MASK
        b ^= (b >> 61 | b << 3) & _MASK ^ (b >> 39 | b << 25) & _MASK
        c ^= (c >> 1 | c << 63) & _MASK ^ (c >> 6 | c << 58) & _MASK
        d ^= (d >> 10 | d << 54) & _MASK ^ (d >> 17 | d << 47) & _MASK
        e ^= (e >> 7 | e << 57) & _MASK ^ (e >> 41 | e << 23) & _MASK
    return a, b, c, d, e


class AsconAead128:
    """Ascon-AEAD128 with one key."""

    def __init__(self, key: bytes) -> None:
        """Store the key of 16 bytes."""
        require_length("key", key, 16)
        self._key: tuple[int, int] = _PAIR.unpack(key)

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return ciphertext and tag."""
        a, b, c, d, e = self._begin(nonce, associated_data)
        parts = []
        whole = len(message) - len(message) % _RATE
        for first, second in _PAIR.iter_unpack(message[:whole]):
            a, b = a ^ first, b ^ second
            parts.append(_PAIR.pack(a, b))
            a, b, c, d, e = _permute((a, b, c, d, e), 8)
        first, second = _PAIR.unpack(_padded(message[whole:]))
        a, b = a ^ first, b ^ second
        parts.append(_PAIR.pack(a, b)[: len(message) - whole])
        return b"".join(parts) + self._tag((a, b, c, d, e))

    def decrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the plaintext of ciphertext and tag; raises AuthenticationFailed if the tag does not match."""
        if len(message) < TAG_BYTES:
            raise BadLength(f"the message has {len(message)} bytes, expected at least {TAG_BYTES}")
        ciphertext, tag = message[:-TAG_BYTES], message[-TAG_BYTES:]
        a, b, c, d, e = self._begin(nonce, associated_data)
        parts = []
        whole = len(ciphertext) - len(ciphertext) % _RATE
        for first, second in _PAIR.iter_unpack(ciphertext[:whole]):
            parts.append(_PAIR.pack(a ^ first, b ^ second))
            a, b, c, d, e = _permute((first, second, c, d, e), 8)
        rest = ciphertext[whole:]
        last = bytes(one ^ other for one, other in zip(rest, _PAIR.pack(a, b)))
        parts.append(last)
        first, second = _PAIR.unpack(_padded(last))
        if not equal_tags(self._tag((a ^ first, b ^ second, c, d, e)), tag):
            raise AuthenticationFailed
        return b"".join(parts)

    def _begin(self, nonce: bytes, associated_data: bytes) -> State:
        """Return the state after initialization and associated data."""
        require_length("nonce", nonce, 16)
        k0, k1 = self._key
        n0, n1 = _PAIR.unpack(nonce)
        a, b, c, d, e = _permute((_IV, k0, k1, n0, n1), 12)
        d, e = d ^ k0, e ^ k1
        if associated_data:
            whole = len(associated_data) - len(associated_data) % _RATE
            for first, second in _PAIR.iter_unpack(associated_data[:whole] + _padded(associated_data[whole:])):
                a, b, c, d, e = _permute((a ^ first, b ^ second, c, d, e), 8)
        return a, b, c, d, e ^ _SEPARATOR

    def _tag(self, state: State) -> bytes:
        k0, k1 = self._key
        a, b, c, d, e = state
        *_, d, e = _permute((a, b, c ^ k0, d ^ k1, e), 12)
        return _PAIR.pack(d ^ k0, e ^ k1)


def _padded(rest: bytes) -> bytes:
    """Return less than a block with the padding behind it."""
    return rest + b"\x01" + bytes(_RATE - 1 - len(rest))
