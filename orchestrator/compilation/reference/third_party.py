"""Reference ciphertexts by Python's ``cryptography`` (OpenSSL).

Key and nonce are 00 01 02 … or zeros; padding and framing follow docs/measurement.md for ``process``. Inputs reach
1 GiB, so everything is streamed. Algorithms that ``cryptography`` lacks give None.
"""

import hashlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.decrepit.ciphers.modes import CFB, OFB
from cryptography.hazmat.primitives.ciphers import BlockCipherAlgorithm, Cipher, CipherContext, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES, ChaCha20
from cryptography.hazmat.primitives.poly1305 import Poly1305

BLOCK_BYTES = 1024 * 1024


def default_bytes(length: int) -> bytes:
    """Return the fixed key or nonce of that many bytes: 00 01 02 …"""
    return (bytes(range(256)) * (length // 256 + 1))[:length]


def filled(fill: str, length_bytes: int) -> Iterator[bytes] | None:
    """Return a timed message of zeros or of 00 01 02 … in pieces; None for a fill that only runners produce."""
    if fill == "zero":
        block = bytes(BLOCK_BYTES)
    elif fill == "counter":
        block = default_bytes(BLOCK_BYTES)
    else:
        return None
    return (block[: length_bytes - start] for start in range(0, length_bytes, BLOCK_BYTES))


@dataclass(frozen=True)
class Secrets:
    """Key and nonce: as given, or fixed bytes of the required length."""

    given_key: bytes | None = None
    given_nonce: bytes | None = None
    fixed: Callable[[int], bytes] = default_bytes
    fixed_nonce: Callable[[int], bytes] | None = None
    """Nonces of another origin than keys."""

    def key(self, length: int) -> bytes:
        """Return the key."""
        return self.fixed(length) if self.given_key is None else self.given_key

    def nonce(self, length: int) -> bytes:
        """Return the nonce."""
        return (self.fixed_nonce or self.fixed)(length) if self.given_nonce is None else self.given_nonce


DEFAULT = Secrets()
ZEROS = Secrets(fixed=bytes)


class Encryption(Protocol):
    """An encryption in progress."""

    def update(self, data: bytes) -> bytes:
        """Process input and return the ciphertext produced."""

    def finish(self) -> bytes:
        """Return the final bytes: the padded last block, or the tag."""


@dataclass
class _Blocks:
    """A block or stream cipher; ECB and CBC get zero bytes up to the next whole block."""

    encryptor: CipherContext
    pad_to_bytes: int = 1
    length_bytes: int = 0

    def update(self, data: bytes) -> bytes:
        self.length_bytes += len(data)
        return self.encryptor.update(data)

    def finish(self) -> bytes:
        padding = bytes(-self.length_bytes % self.pad_to_bytes)
        return self.encryptor.update(padding) + self.encryptor.finalize()


class _ChaCha20Poly1305:
    """RFC 8439 section 2.8 without associated data, from the library's ChaCha20 and Poly1305 so that it streams."""

    def __init__(self, key: bytes, nonce: bytes) -> None:
        self._encryptor = Cipher(ChaCha20(key, bytes(4) + nonce), mode=None).encryptor()
        # Block 0 of the keystream: 32 bytes of it are the authenticator's key, the rest is discarded.
        self._authenticator = Poly1305(self._encryptor.update(bytes(64))[:32])
        self._length_bytes = 0

    def update(self, data: bytes) -> bytes:
        ciphertext = self._encryptor.update(data)
        self._authenticator.update(ciphertext)
        self._length_bytes += len(data)
        return ciphertext

    def finish(self) -> bytes:
        lengths = (0).to_bytes(8, "little") + self._length_bytes.to_bytes(8, "little")
        self._authenticator.update(bytes(-self._length_bytes % 16) + lengths)
        return self._authenticator.finalize()


class _GCM:
    """SP 800-38D without associated data: ciphertext, then the tag of 16 bytes."""

    def __init__(self, key: bytes, nonce: bytes) -> None:
        self._encryptor = Cipher(AES(key), modes.GCM(nonce)).encryptor()

    def update(self, data: bytes) -> bytes:
        return self._encryptor.update(data)

    def finish(self) -> bytes:
        return self._encryptor.finalize() + self._encryptor.tag


def supports(algorithm: str) -> bool:
    """Return whether ``cryptography`` has this algorithm."""
    return encryption(algorithm) is not None


def encryption(algorithm: str, secrets: Secrets = DEFAULT) -> Encryption | None:
    """Start an encryption with the algorithm of that id; None if ``cryptography`` lacks it."""
    for pattern, start in _STARTS:
        if match := pattern.fullmatch(algorithm):
            try:
                return start(match, secrets)
            except UnsupportedAlgorithm:
                return None
    return None


def output_sha256(algorithm: str, message: Iterable[bytes], secrets: Secrets = DEFAULT) -> str | None:
    """Return the SHA-256 of a message's ciphertext; None if ``cryptography`` lacks the algorithm.

    message: the plaintext in pieces. The tag of an AEAD follows its ciphertext.
    """
    digest = hashlib.sha256()
    state = encryption(algorithm, secrets)
    if state is None:
        return None
    for piece in _small(message):
        digest.update(state.update(piece))
    digest.update(state.finish())
    return digest.hexdigest()


def _small(message: Iterable[bytes]) -> Iterator[bytes]:
    for piece in message:
        for start in range(0, len(piece), BLOCK_BYTES):
            yield piece[start : start + BLOCK_BYTES]


_Mode = modes.ECB | modes.CBC | modes.CTR | CFB | OFB
_MODES: dict[str, Callable[[bytes], _Mode]] = {
    "ecb": lambda _nonce: modes.ECB(),  # noqa: S305  measured, not used
    "cbc": modes.CBC,
    "ctr": modes.CTR,
    "cfb": CFB,
    "ofb": OFB,
}


def _block_mode(cipher: BlockCipherAlgorithm, mode: str, secrets: Secrets) -> Encryption:
    block_bytes = cipher.block_size // 8
    start = _MODES[mode](secrets.nonce(block_bytes))
    return _Blocks(Cipher(cipher, start).encryptor(), pad_to_bytes=block_bytes if mode in ("ecb", "cbc") else 1)


def _aes(match: re.Match[str], secrets: Secrets) -> Encryption:
    return _block_mode(AES(secrets.key(int(match[1]) // 8)), match[2], secrets)


def _aes_gcm(match: re.Match[str], secrets: Secrets) -> Encryption:
    return _GCM(secrets.key(int(match[1]) // 8), secrets.nonce(12))


def _triple_des(match: re.Match[str], secrets: Secrets) -> Encryption:
    key = secrets.key(int(match[1]) // 8)
    with warnings.catch_warnings():
        # The deprecation warning for 3DES is expected: it is measured, not used.
        warnings.simplefilter("ignore")
        # Two-key 3DES: the third key is the first one again (NIST SP 800-67, section 3.2).
        return _block_mode(TripleDES(key if len(key) == 24 else key + key[:8]), match[2], secrets)


def _chacha20(_match: re.Match[str], secrets: Secrets) -> Encryption:
    # The library takes counter and nonce together: a 64-bit counter (0), then the original 64-bit nonce.
    start = bytes(8) + secrets.nonce(8)
    return _Blocks(Cipher(ChaCha20(secrets.key(32), start), mode=None).encryptor())


def _chacha20_ietf(_match: re.Match[str], secrets: Secrets) -> Encryption:
    start = bytes(4) + secrets.nonce(12)
    return _Blocks(Cipher(ChaCha20(secrets.key(32), start), mode=None).encryptor())


def _chacha20_poly1305(_match: re.Match[str], secrets: Secrets) -> Encryption:
    return _ChaCha20Poly1305(secrets.key(32), secrets.nonce(12))


_Start = Callable[[re.Match[str], Secrets], Encryption]
_STARTS: tuple[tuple[re.Pattern[str], _Start], ...] = (
    (re.compile(r"aes-(128|192|256)-(ecb|cbc|ctr|cfb|ofb)"), _aes),
    (re.compile(r"aes-(128|192|256)-gcm"), _aes_gcm),
    (re.compile(r"3des-(128|192)-(ecb|cbc|ctr|cfb|ofb)"), _triple_des),
    (re.compile(r"chacha20-256"), _chacha20),
    (re.compile(r"chacha20-ietf"), _chacha20_ietf),
    (re.compile(r"chacha20-poly1305"), _chacha20_poly1305),
)
