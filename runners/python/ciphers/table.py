"""The implementations of this provider. A family's module is imported when one of its keys is set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from program.implementation import Cipher, Implementation

if TYPE_CHECKING:
    from ciphers.modes import BlockCipher

PROVIDER = "python"

_SIZES = ((32, 64), (48, 72), (48, 96), (64, 96), (64, 128), (96, 96), (96, 144), (128, 128), (128, 192), (128, 256))
_MODE_SECTIONS = {"ecb": "6.1", "cbc": "6.2", "ctr": "6.5"}


def implementations() -> list[Implementation]:
    """Return all implementations."""
    return [*_aes(), *_simon(), *_speck(), *_chacha20(), *_aeads()]


def _block_mode(
    cipher: str, mode: str, sizes: tuple[int, int], source: str, make: Callable[[bytes], Cipher], variant: str = "ref"
) -> Implementation:
    block_bytes, key_bytes = sizes
    return Implementation(
        algorithm=f"{cipher}-{mode}",
        variant=variant,
        kind="block-mode",
        key_bytes=key_bytes,
        nonce_bytes=0 if mode == "ecb" else block_bytes,
        tag_bytes=0,
        block_bytes=block_bytes,
        source=f"{source}; SP 800-38A section {_MODE_SECTIONS[mode]}",
        make=make,
        whole_blocks_only=mode != "ctr",
        default=variant != "bits",
    )


def _aes() -> list[Implementation]:
    def make(mode: str, size: int) -> Callable[[bytes], Cipher]:
        def keyed(key: bytes) -> Cipher:
            from ciphers import aes
            from ciphers.errors import require_length

            require_length("key", key, size)
            return _in_mode(mode, aes.Aes(key))

        return keyed

    return [
        _block_mode(f"aes-{8 * size}", mode, (16, size), "FIPS 197", make(mode, size))
        for size in (16, 24, 32)
        for mode in ("ecb", "cbc", "ctr")
    ]


def _simon() -> list[Implementation]:
    def make(mode: str, block: int, size: int) -> Callable[[bytes], Cipher]:
        def keyed(key: bytes) -> Cipher:
            from ciphers import simon

            return _in_mode(mode, simon.Simon(block, size, key))

        return keyed

    def make_bits(mode: str) -> Callable[[bytes], Cipher]:
        def keyed(key: bytes) -> Cipher:
            from ciphers import simon_bits

            return _in_mode(mode, simon_bits.SimonBits(key))

        return keyed

    source = "IACR ePrint 2013/404, Simon"
    found = []
    for block, size in _SIZES:
        for mode in ("ecb", "ctr"):
            both, name = (block // 8, size // 8), f"simon-{block}-{size}"
            variant = "words" if (block, size) == (128, 256) else "ref"
            found.append(_block_mode(name, mode, both, source, make(mode, block, size), variant))
            if variant == "words":
                found.append(_block_mode(name, mode, both, source, make_bits(mode), "bits"))
    return found


def _speck() -> list[Implementation]:
    def make(mode: str, block: int, size: int) -> Callable[[bytes], Cipher]:
        def keyed(key: bytes) -> Cipher:
            from ciphers import speck

            return _in_mode(mode, speck.Speck(block, size, key))

        return keyed

    return [
        _block_mode(
            f"speck-{block}-{size}",
            mode,
            (block // 8, size // 8),
            "IACR ePrint 2013/404, Speck",
            make(mode, block, size),
        )
        for block, size in _SIZES
        for mode in ("ecb", "ctr")
    ]


def _in_mode(mode: str, cipher: BlockCipher) -> Cipher:
    from ciphers import modes

    if mode == "ecb":
        return modes.Ecb(cipher)
    return modes.Cbc(cipher) if mode == "cbc" else modes.Ctr(cipher)


def _chacha20() -> list[Implementation]:
    def make(key_bytes: int, nonce_bytes: int) -> Callable[[bytes], Cipher]:
        def keyed(key: bytes) -> Cipher:
            from ciphers import chacha20

            return chacha20.ChaCha20(key, key_bytes, nonce_bytes)

        return keyed

    original = "D. J. Bernstein, ChaCha, a variant of Salsa20 (2008)"
    rows = (
        ("chacha20-128", 16, 8, original),
        ("chacha20-256", 32, 8, original),
        ("chacha20-ietf", 32, 12, "RFC 8439 section 2.4"),
    )
    return [
        Implementation(name, "ref", "stream", key, nonce, 0, 64, source, make(key, nonce))
        for name, key, nonce, source in rows
    ]


def _aeads() -> list[Implementation]:
    def chacha20_poly1305(key: bytes) -> Cipher:
        from ciphers.chacha20_poly1305 import ChaCha20Poly1305

        return ChaCha20Poly1305(key)

    def ascon(key: bytes) -> Cipher:
        from ciphers.ascon import AsconAead128

        return AsconAead128(key)

    def tinyjambu(key_bytes: int) -> Callable[[bytes], Cipher]:
        def keyed(key: bytes) -> Cipher:
            from ciphers.tinyjambu import TinyJambu

            return TinyJambu(key, key_bytes)

        return keyed

    found = [
        Implementation("chacha20-poly1305", "ref", "aead", 32, 12, 16, 64, "RFC 8439 section 2.8", chacha20_poly1305),
        Implementation("ascon-aead128", "ref", "aead", 16, 16, 16, 16, "NIST SP 800-232 section 4", ascon),
    ]
    source = "TinyJAMBU version 2 (2021) section 3"
    for size in (16, 24, 32):
        found.append(Implementation(f"tinyjambu-{8 * size}", "ref", "aead", size, 12, 8, 4, source, tinyjambu(size)))
    return found
