"""Color and shape of series and of providers, in all charts and tables.

Two codes, so that neither a color-vision deficiency nor a print in gray makes two providers equal.
"""

from dataclasses import dataclass
from functools import cache
from zlib import crc32

from orchestrator.shared.values.palette import COLORS

SHAPES = {
    "circle": "M-4.6,0a4.6,4.6 0 1,0 9.2,0a4.6,4.6 0 1,0 -9.2,0z",
    "square": "M-4,-4h8v8h-8z",
    "triangle-up": "M0,-5L5,4H-5z",
    "diamond": "M0,-5.6L4.6,0L0,5.6L-4.6,0z",
    "cross": "M-1.7,-5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
    "triangle-down": "M0,5L5,-4H-5z",
    "triangle-right": "M5,0L-4,5V-5z",
    "triangle-left": "M-5,0L4,5V-5z",
}
"""Name of each shape in a chart → its outline in a table, in a square of 12 around 0."""
CODES = len(COLORS) * len(SHAPES)
"""Number of different codes: the numbers of colors and shapes have no common divisor."""
SERIES_STEPS = (12, 24, 48)
"""Numbers of series that a chart with more of them shows; the first is the default."""

PROVIDERS = (
    *("own", "cryptopp", "botan", "openssl", "mbedtls", "wolfssl", "libsodium", "libgcrypt", "nettle", "bearssl"),
    *("libtomcrypt", "gnutls", "python", "javascript", "go", "rust", "java"),
    *("python-binding", "javascript-binding", "go-binding", "rust-binding"),
)  # fmt: skip
"""Providers in the order of their codes."""


@dataclass(frozen=True)
class Code:
    """Color and shape of a series."""

    color: str
    shape: str

    @property
    def outline(self) -> str:
        """Path of the shape, for tables."""
        return SHAPES[self.shape]


def code_at(place: int) -> Code:
    """Return the code of the series at this place; `CODES` places differ."""
    return Code(COLORS[place % len(COLORS)], tuple(SHAPES)[place % len(SHAPES)])


@cache
def provider_code(name: str) -> Code:
    """Return the code of a provider, which is the same in every chart and table.

    A provider without a place (of a newer agent, for example) gets one of the codes that no listed provider has.
    """
    if name in PROVIDERS:
        return code_at(PROVIDERS.index(name))
    return code_at(len(PROVIDERS) + crc32(name.encode()) % (CODES - len(PROVIDERS)))
