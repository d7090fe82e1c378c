"""ChaCha20: the original with 8-byte nonces (Bernstein 2008) and that of RFC 8439 with 12-byte nonces."""

from __future__ import annotations

from struct import Struct

from ciphers.bytestrings import xor
from ciphers.errors import BadLength, require_length

_WORDS = Struct("<16I")
_BLOCK_BYTES = 64
_CONSTANTS = {16: b"expand 16-byte k", 32: b"expand 32-byte k"}
_COLUMNS_AND_DIAGONALS = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


class ChaCha20:
    """ChaCha20 with one key."""

    def __init__(self, key: bytes, key_bytes: int, nonce_bytes: int) -> None:
        """Store the key; the counter has what the nonce leaves of 16 bytes."""
        require_length("key", key, key_bytes)
        self._nonce_bytes = nonce_bytes
        self._counter_bytes = 16 - nonce_bytes
        self._head = _CONSTANTS[key_bytes] + (key + key if key_bytes == 16 else key)

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the ciphertext of a message of any length; the block counter begins at 0."""
        return xor(message, self.keystream(nonce, 0, len(message)))

    decrypt = encrypt

    def keystream(self, nonce: bytes, counter: int, size: int) -> bytes:
        """Return `size` bytes of keystream from the block of a counter."""
        require_length("nonce", nonce, self._nonce_bytes)
        end = counter + (size + _BLOCK_BYTES - 1) // _BLOCK_BYTES
        if end > 1 << 8 * self._counter_bytes:
            raise BadLength(f"the message has {size} bytes, expected at most what the block counter reaches")
        blocks = [self._block(number.to_bytes(self._counter_bytes, "little") + nonce) for number in range(counter, end)]
        return b"".join(blocks)[:size]

    def _block(self, tail: bytes) -> bytes:
        """Return 64 bytes of keystream; tail: counter and nonce."""
        initial = _WORDS.unpack(self._head + tail)
        state = list(initial)
        for _ in range(10):
            for a, b, c, d in _COLUMNS_AND_DIAGONALS:
                wa, wb, wc, wd = state[a], state[b], state[c], state[d]
                wa = wa + wb & 0xFFFFFFFF
                wd ^= wa
                wd = wd << 16 & 0xFFFFFFFF | wd >> 16
                wc = wc + wd & 0xFFFFFFFF
                wb ^= wc
                wb = wb << 12 & 0xFFFFFFFF | wb >> 20
                wa = wa + wb & 0xFFFFFFFF
                wd ^= wa
                wd = wd << 8 & 0xFFFFFFFF | wd >> 24
                wc = wc + wd & 0xFFFFFFFF
                wb ^= wc
                state[a], state[b], state[c], state[d] = wa, wb << 7 & 0xFFFFFFFF | wb >> 25, wc, wd
        return _WORDS.pack(*(one + other & 0xFFFFFFFF for one, other in zip(state, initial)))
