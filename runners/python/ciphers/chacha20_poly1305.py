"""ChaCha20-Poly1305, an AEAD (RFC 8439 section 2.8)."""

from ciphers.bytestrings import equal_tags, xor
from ciphers.chacha20 import ChaCha20
from ciphers.errors import AuthenticationFailed, BadLength

TAG_BYTES = 16
_PRIME = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


class ChaCha20Poly1305:
    """ChaCha20-Poly1305 with one key."""

    def __init__(self, key: bytes) -> None:
        """Store the key of 32 bytes."""
        self._cipher = ChaCha20(key, 32, 12)

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return ciphertext and tag."""
        ciphertext = xor(message, self._cipher.keystream(nonce, 1, len(message)))
        return ciphertext + self._tag(nonce, associated_data, ciphertext)

    def decrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the plaintext of ciphertext and tag; raises AuthenticationFailed if the tag does not match."""
        if len(message) < TAG_BYTES:
            raise BadLength(f"the message has {len(message)} bytes, expected at least {TAG_BYTES}")
        ciphertext, tag = message[:-TAG_BYTES], message[-TAG_BYTES:]
        if not equal_tags(self._tag(nonce, associated_data, ciphertext), tag):
            raise AuthenticationFailed
        return xor(ciphertext, self._cipher.keystream(nonce, 1, len(ciphertext)))

    def _tag(self, nonce: bytes, associated_data: bytes, ciphertext: bytes) -> bytes:
        lengths = len(associated_data).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
        padded = b"".join(part + bytes(-len(part) % 16) for part in (associated_data, ciphertext))
        return poly1305(self._cipher.keystream(nonce, 0, 32), padded + lengths)


def poly1305(key: bytes, message: bytes) -> bytes:
    """Return the tag of a message of whole blocks of 16 bytes (section 2.5)."""
    r = int.from_bytes(key[:16], "little") & _CLAMP
    accumulator = 0
    for at in range(0, len(message), 16):
        block = int.from_bytes(message[at : at + 16], "little") | 1 << 128
        accumulator = (accumulator + block) * r % _PRIME
    return (accumulator + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")
