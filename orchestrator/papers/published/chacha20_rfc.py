"""Nir and Langley (RFC 8439, 2018): ChaCha20-Poly1305 against AES-128-GCM with and without AES instructions."""

import math
from collections.abc import Iterator

from orchestrator.papers.exact_quantities import Published
from orchestrator.papers.paper import Claim, DeviceKind, Drawing, Figure, Paper, Setting, Spot
from orchestrator.papers.quantities import Time
from orchestrator.papers.statements import ForEachChoice, RatioRange, faster
from orchestrator.shared.units import KIB

_AES, _CHACHA = "aes-128-gcm", "chacha20-poly1305"
_RECORD_BYTES = 16 * KIB
_PORTABLE_AES = ("ref", "bitsliced64")
"""Byte by byte with lookups of secret bytes, and bitsliced without."""
_PHONES = DeviceKind(
    "phone with an OMAP 4460 or a Snapdragon S4 Pro", ("armv7l",), ("omap", "snapdragon", "msm8960", "apq8064")
)
_WITH_INSTRUCTIONS = (
    (DeviceKind("Sandy Bridge Xeon with AES instructions", ("x86_64",), ("xeon",)), "aesni", "avx2"),
    (DeviceKind("ARMv8 processor with AES instructions, not in the publication", ("aarch64",)), "ce", "neon"),
)
"""Kind of device, AES with its instructions, ChaCha20-Poly1305 with vector instructions."""
_CHIPS = {
    "OMAP 4460": (24.1, 75.3),
    "Snapdragon S4 Pro": (41.5, 130.9),
    "Sandy Bridge Xeon (AES-NI)": (900.0, 500.0),
}
"""Appendix B, table 1: MB/s of AES-128-GCM and of ChaCha20-Poly1305."""


def _own(algorithm: str, variant: str) -> Time:
    return Time("own", algorithm, variant=variant, operation="encrypt")


def _library(algorithm: str, library: str = "openssl") -> Time:
    return Time(library, algorithm, operation="encrypt", length_bytes=_RECORD_BYTES, per_byte=True)


def _published(chip: str) -> tuple[Published, Published]:
    """Return the published times of a byte, in nanoseconds."""
    of_aes, of_chacha = _CHIPS[chip]
    return Published(f"AES-128-GCM, {chip}", 1e3 / of_aes), Published(f"ChaCha20-Poly1305, {chip}", 1e3 / of_chacha)


_NAMES = {_AES: "AES-128-GCM", _CHACHA: "ChaCha20-Poly1305"}
_ALGORITHMS = {name: algorithm for algorithm, name in _NAMES.items()}


def _speeds() -> Iterator[Spot]:
    for chip, figures in _CHIPS.items():
        for (algorithm, name), figure in zip(_NAMES.items(), figures, strict=True):
            yield Spot(chip, name, figure, _library(algorithm))


_DRAWINGS = (
    Drawing(
        "table-1", "Appendix B, table 1: speed comparison", "table", "chip", "throughput", "MB/s", tuple(_speeds())
    ),
)


PAPER = Paper(
    name="chacha20-rfc",
    title="ChaCha20 and Poly1305 for IETF Protocols (RFC 8439), appendix B: Performance Measurements of ChaCha20",
    authors="Nir, Langley",
    year=2018,
    summary="Throughput of AES-128-GCM and ChaCha20-Poly1305 on two phones without AES instructions and on a server "
    "with them, measured by Langley in February 2014.",
    quick={"repetitions": 8, "messages": {"lengths": ["1 KiB", "16 KiB"]}},
    claims=(
        Claim(
            "faster-in-software",
            "ChaCha20 is considerably faster than AES in software-only implementations",
            ForEachChoice(_ALGORITHMS, lambda variants: faster(
                [(_own(_CHACHA, variants["ChaCha20-Poly1305"]), _own(_AES, variants["AES-128-GCM"]))], by=0.5,
                each="length")),
        ),
        Claim(
            "three-times",
            "ChaCha20 is around three times as fast as AES without specialized AES hardware",
            RatioRange(
                ((_library(_CHACHA, "libtomcrypt"), _library(_AES, "libtomcrypt")),),
                "AES / ChaCha20 within 2 and 4 in LibTomCrypt, whose AES has lookup tables and no instructions",
                math.log(2), math.log(4),
            ),
        ),
        *(
            Claim(
                f"instructions-{kind.architectures[0]}",
                f"With AES instructions, AES-128-GCM is faster than ChaCha20-Poly1305 ({kind.architectures[0]})",
                faster([(_own(_AES, aes), _own(_CHACHA, chacha))], each="length"),
                kind,
            )
            for kind, aes, chacha in _WITH_INSTRUCTIONS
        ),
    ),
    figures=tuple(
        Figure(f"{name}, {chip}", figure, "MB/s", "appendix B, table 1", _library(algorithm))
        for chip, figures in _CHIPS.items()
        for (algorithm, name), figure in zip(_NAMES.items(), figures, strict=True)
    ),
    drawings=_DRAWINGS,
    setting=Setting(
        devices=(_PHONES, _WITH_INSTRUCTIONS[0][0]),
        code="our own code, OpenSSL and LibTomCrypt (publication: no library is named)",
    ),
    differences=(
        "the publication states no length, library or compiler: figures are those of OpenSSL with messages of 16 KiB, "
        "the largest record of TLS",
        "software-only means each choice of the portable variants of our own ciphers, which every processor executes, "
        "and LibTomCrypt with the large lookup tables that our portable AES avoids",
        "the key is set before; only encryption is compared",
    ),
    findings=(
        Claim(
            "chip",
            "The order of the published ciphers is that of the chip, not of the ciphers: without AES instructions "
            "ChaCha20-Poly1305 is 3.1 times as fast, with them AES-128-GCM is 1.8 times as fast",
            RatioRange((_published("OMAP 4460")[::-1], _published("Snapdragon S4 Pro")[::-1],
                        _published("Sandy Bridge Xeon (AES-NI)")),
                       "slower / faster cipher at least 1.8 on each chip", low=math.log(1.8) - 1e-9),
        ),
        *(
            Claim(
                f"instructions-decide-{kind.architectures[0]}",
                "Instructions decide more than the cipher does: they make AES-128-GCM at least 4 times as fast as each "
                f"portable implementation ({kind.architectures[0]})",
                faster(((_own(_AES, aes), _own(_AES, one)) for one in _PORTABLE_AES), by=3.0),
                kind,
            )
            for kind, aes, _ in _WITH_INSTRUCTIONS
        ),
    ),
)  # fmt: skip
