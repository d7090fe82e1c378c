"""Modes of operation of block ciphers: ECB, CBC and CTR (NIST SP 800-38A)."""

from typing import Protocol

from ciphers.bytestrings import xor
from ciphers.errors import BadLength, require_length


class BlockCipher(Protocol):
    """A keyed block cipher."""

    block_bytes: int

    def encrypt_block(self, block: bytes) -> bytes:
        """Return the ciphertext of one block."""

    def decrypt_block(self, block: bytes) -> bytes:
        """Return the plaintext of one block."""


class Ecb:
    """Electronic codebook: every block on its own (section 6.1)."""

    def __init__(self, cipher: BlockCipher) -> None:
        """Use a keyed block cipher."""
        self._cipher = cipher

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the ciphertext of whole blocks."""
        require_length("nonce", nonce, 0)
        return b"".join(map(self._cipher.encrypt_block, _blocks(message, self._cipher.block_bytes)))

    def decrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the plaintext of whole blocks."""
        require_length("nonce", nonce, 0)
        return b"".join(map(self._cipher.decrypt_block, _blocks(message, self._cipher.block_bytes)))


class Cbc:
    """Cipher block chaining: each block is combined with the ciphertext before it (section 6.2)."""

    def __init__(self, cipher: BlockCipher) -> None:
        """Use a keyed block cipher."""
        self._cipher = cipher

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the ciphertext of whole blocks; the nonce is the initialization vector."""
        require_length("nonce", nonce, self._cipher.block_bytes)
        encrypted, last = [], nonce
        for block in _blocks(message, self._cipher.block_bytes):
            last = self._cipher.encrypt_block(xor(block, last))
            encrypted.append(last)
        return b"".join(encrypted)

    def decrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the plaintext of whole blocks."""
        require_length("nonce", nonce, self._cipher.block_bytes)
        decrypted, last = [], nonce
        for block in _blocks(message, self._cipher.block_bytes):
            decrypted.append(xor(self._cipher.decrypt_block(block), last))
            last = block
        return b"".join(decrypted)


class Ctr:
    """Counter mode: a big-endian counter over the whole block, which begins at the nonce (section 6.5)."""

    def __init__(self, cipher: BlockCipher) -> None:
        """Use a keyed block cipher."""
        self._cipher = cipher

    def encrypt(self, nonce: bytes, associated_data: bytes, message: bytes) -> bytes:
        """Return the ciphertext of a message of any length."""
        size = self._cipher.block_bytes
        require_length("nonce", nonce, size)
        first, end = int.from_bytes(nonce, "big"), 1 << (8 * size)
        counters = range(first, first + (len(message) + size - 1) // size)
        keystream = b"".join(self._cipher.encrypt_block((one % end).to_bytes(size, "big")) for one in counters)
        return xor(message, keystream[: len(message)])

    decrypt = encrypt


def _blocks(message: bytes, block_bytes: int) -> list[bytes]:
    if len(message) % block_bytes:
        raise BadLength(f"the message has {len(message)} bytes, expected a multiple of {block_bytes}")
    return [message[at : at + block_bytes] for at in range(0, len(message), block_bytes)]
