"""Algorithms that the provider of every language has, with their variants and the messages that they accept."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from orchestrator.wire.languages.base import Language

_SIZES = ((32, 64), (48, 72), (48, 96), (64, 96), (64, 128), (96, 96), (96, 144), (128, 128), (128, 192), (128, 256))
_PUBLISHED = "simon-128-256"
"""Has the variant of the published comparison of languages next to one on machine words."""
LIBRARY_VARIANT = "library"
"""The variant of a binding: the library selects one of our own for the processor."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of every language."""

    kind: str
    block_bytes: int
    whole_blocks_only: bool = False
    variants: tuple[str, ...] = ("ref",)
    """The default one first."""


def _block_modes(cipher: str, block_bytes: int, modes: tuple[str, ...]) -> dict[str, Algorithm]:
    variants = ("words", "bits") if cipher == _PUBLISHED else ("ref",)
    return {f"{cipher}-{mode}": Algorithm("block-mode", block_bytes, mode != "ctr", variants) for mode in modes}


ALGORITHMS: dict[str, Algorithm] = {
    **{
        name: one
        for bits in (128, 192, 256)
        for name, one in _block_modes(f"aes-{bits}", 16, ("ecb", "cbc", "ctr")).items()
    },
    **{
        name: one
        for cipher in ("simon", "speck")
        for block, key in _SIZES
        for name, one in _block_modes(f"{cipher}-{block}-{key}", block // 8, ("ecb", "ctr")).items()
    },
    **dict.fromkeys(("chacha20-128", "chacha20-256", "chacha20-ietf"), Algorithm("stream", 64)),
    "chacha20-poly1305": Algorithm("aead", 64),
    "ascon-aead128": Algorithm("aead", 16),
    **dict.fromkeys(("tinyjambu-128", "tinyjambu-192", "tinyjambu-256"), Algorithm("aead", 4)),
}


def algorithms_of(language: Language) -> Mapping[str, Algorithm]:
    """Return the algorithms of a language's provider; the library of bindings has more modes of their families."""
    if language.binding is None:
        return ALGORITHMS
    return {name: replace(one, variants=(LIBRARY_VARIANT,)) for name, one in ALGORITHMS.items()}
