"""Ascon, PRESENT, Simon, Speck and AES-256 on a desktop and on a Raspberry Pi 3 A+."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise

from orchestrator.papers.exact_quantities import ExactCodeSize
from orchestrator.papers.paper import Claim, DeviceKind, Drawing, Figure, Paper, Setting, Spot
from orchestrator.papers.quantities import OfFastestPortable, Quantity, Reading, Time
from orchestrator.papers.statements import (
    SMALLEST_RELEVANT,
    ForEachChoice,
    NotJudged,
    RatioRange,
    Variants,
    faster,
    no_difference,
)
from orchestrator.results.answers.readings import ReadingName

_COMPILER = "gcc"
_CIPHERS = {
    "Ascon": "ascon-aead128",
    "PRESENT": "present-80-ecb",
    "Simon": "simon-64-128-ecb",
    "Speck": "speck-64-128-ecb",
    "AES-256": "aes-256-ecb",
}
"""Name in the paper → algorithm."""
_MESSAGE_BYTES = 16
_DESKTOP = DeviceKind("desktop with an Intel Core i7-13700KF", ("x86_64",), ("intel(r) core", "amd ryzen"))
_PI = DeviceKind("Raspberry Pi 3 A+", ("aarch64", "armv7l", "armv6l"), ("raspberry pi 3",))
_SAME_OUTPUT = "The publication prints lines of text for one machine; any device is next to both."


def _time(cipher: str, variant: str = "") -> Time:
    return Time(
        "own", _CIPHERS[cipher], variant=variant, compiler=_COMPILER, operation="encrypt", key_setup="included",
        length_bytes=_MESSAGE_BYTES,
    )  # fmt: skip


def _code(cipher: str, variant: str) -> ExactCodeSize:
    return ExactCodeSize("own", _CIPHERS[cipher], variant, _COMPILER)


def _reading(cipher: str, name: ReadingName, variant: str) -> Reading:
    return Reading(
        "own", _CIPHERS[cipher], name, variant=variant, compiler=_COMPILER, operation="encrypt", key_setup="included"
    )


def _shown(cipher: str, of: Callable[[str, str], Quantity] = _time) -> OfFastestPortable:
    """Return a quantity of the fastest portable variant, for a figure."""
    return OfFastestPortable(_time(cipher), partial(of, cipher))


def _memory(cipher: str, variant: str) -> Reading:
    return _reading(cipher, "peak_rss_bytes", variant)


def _for_each_choice(ciphers: Iterable[str], of: Callable[[Variants], RatioRange]) -> ForEachChoice:
    return ForEachChoice({one: _CIPHERS[one] for one in ciphers}, of, _COMPILER)


def _chain(*ciphers: str) -> ForEachChoice:
    """Return the statement that each cipher is faster than the next."""
    return _for_each_choice(
        ciphers,
        lambda variants: faster(
            (_time(one, variants[one]), _time(other, variants[other])) for one, other in pairwise(ciphers)
        ),
    )


def _all_with(cipher: str, of: Callable[[str, str], Quantity], *, first: bool, by: float) -> ForEachChoice:
    """Return the statement that a cipher has less (`first`) or more of a quantity than every other one."""

    def statement(variants: Variants) -> RatioRange:
        own = of(cipher, variants[cipher])
        others = (of(one, variants[one]) for one in _CIPHERS if one != cipher)
        return faster(((own, one) if first else (one, own) for one in others), by=by)

    return _for_each_choice(_CIPHERS, statement)


def _figures(where: str, device: str, published: dict[str, int]) -> tuple[Figure, ...]:
    return tuple(Figure(f"{cipher}, {device}", ns, "ns", where, _shown(cipher)) for cipher, ns in published.items())


_CODE_BYTES = {"Ascon": 9760, "PRESENT": 6384, "Simon": 6016, "Speck": 4784, "AES-256": 11696}
_DESKTOP_NS = {"Ascon": 1351, "PRESENT": 3434, "Simon": 523, "Speck": 360, "AES-256": 1304}
_PI_NS = {"Ascon": 551, "PRESENT": 7157, "Simon": 2571, "Speck": 1268, "AES-256": 3373}
_DESKTOP_TOTAL_NS = {"Ascon": 135100, "PRESENT": 343400, "Simon": 52300, "Speck": 36000, "AES-256": 130400}
_PI_TOTAL_NS = {"Ascon": 55105, "PRESENT": 715782, "Simon": 257186, "Speck": 126877, "AES-256": 337395}
_DESKTOP_KIB = {"Ascon": 4140, "PRESENT": 4364, "Simon": 4372, "Speck": 4380, "AES-256": 4384}
_PI_KIB = {"Ascon": 2404, "PRESENT": 2704, "Simon": 2704, "Speck": 2704, "AES-256": 2704}
_TOTAL = "100 calls with the first one, which is measured apart here"


def _results(totals: dict[str, int], averages: dict[str, int], memory: dict[str, int]) -> Iterator[Spot]:
    for cipher, code in _CODE_BYTES.items():
        yield Spot(cipher, "code", code, _shown(cipher, _code), unit="bytes")
        yield Spot(cipher, "total", totals[cipher], reason=_TOTAL)
        yield Spot(cipher, "average", averages[cipher], _shown(cipher))
        yield Spot(cipher, "memory", memory[cipher], _shown(cipher, _memory), unit="KiB")


_DRAWINGS = (
    Drawing("desktop", "5.1 Windows 11 (Intel Core i7-13700KF)", "table", "cipher", "result", "ns",
            tuple(_results(_DESKTOP_TOTAL_NS, _DESKTOP_NS, _DESKTOP_KIB)), remark=_SAME_OUTPUT),
    Drawing("raspberry-pi", "5.2 Raspberry Pi 3 Model A+", "table", "cipher", "result", "ns",
            tuple(_results(_PI_TOTAL_NS, _PI_NS, _PI_KIB)), remark=_SAME_OUTPUT),
)  # fmt: skip


PAPER = Paper(
    name="lightweight-pi",
    title="Five lightweight ciphers on a desktop and on a Raspberry Pi 3 A+",
    authors="Authors not named",
    year=None,
    summary="One block of 16 zero bytes under a key of zeros: latency per call, memory and code size of Ascon, "
    "PRESENT, Simon, Speck and AES-256.",
    # The claims are about one compiler; a build by another one takes minutes.
    quick={
        "repetitions": 8,
        "toolchains": [{"compiler": [_COMPILER]}],
        "messages": {"operations": ["encrypt"], "key_setup": ["included"]},
    },
    claims=(
        Claim("desktop-speck-fastest", "Desktop: Speck is the fastest, Simon the next",
              _chain("Speck", "Simon", "Ascon"), _DESKTOP),
        Claim("desktop-simon-over-aes", "Desktop: Simon is faster than AES-256", _chain("Simon", "AES-256"), _DESKTOP),
        Claim("desktop-ascon-like-aes", "Desktop: Ascon and AES-256 are alike",
              _for_each_choice(("Ascon", "AES-256"), lambda variants: no_difference(
                  [(_time("Ascon", variants["Ascon"]), _time("AES-256", variants["AES-256"]))], within=0.1)), _DESKTOP),
        Claim("desktop-present-slowest", "Desktop: PRESENT is the slowest",
              _all_with("PRESENT", _time, first=False, by=SMALLEST_RELEVANT), _DESKTOP),
        Claim("pi-order", "Raspberry Pi: Ascon is the fastest, then Speck, Simon, AES-256, PRESENT",
              _chain("Ascon", "Speck", "Simon", "AES-256", "PRESENT"), _PI),
        Claim("speck-smallest", "Speck has the smallest code",
              _all_with("Speck", _code, first=True, by=0.0)),
        Claim("aes-largest", "AES-256 has the largest code",
              _all_with("AES-256", _code, first=False, by=0.0)),
        Claim("memory", "Memory does not differ",
              _for_each_choice(_CIPHERS, lambda variants: no_difference(
                  ((_memory("Speck", variants["Speck"]), _memory(one, variants[one]))
                   for one in _CIPHERS if one != "Speck"), within=0.05))),
    ),
    figures=(
        *_figures("desktop results", "desktop", _DESKTOP_NS),
        *_figures("Raspberry Pi results", "Raspberry Pi 3 A+", _PI_NS),
        *(Figure(f"{cipher}, code", size, "bytes", "code sizes", _shown(cipher, _code))
          for cipher, size in _CODE_BYTES.items()),
    ),
    drawings=_DRAWINGS,
    setting=Setting(
        devices=(_DESKTOP, _PI),
        lengths=(_MESSAGE_BYTES,),
        flags="-O2",
        compilers="MSVC and GCC",
        code="our own code instead of the measured one",
    ),
    differences=(
        "cold and warm calls are separate; the publication's totals of 100 calls contain the first one",
        "the key length of Speck and Simon is an assumption: the publication writes 128/64",
        "code is that of a program with one cipher, minus an empty program",
        "the publication does not contain its code: a claim is judged for each choice of one portable variant of each "
        "cipher (every variant that needs no instructions beyond the architecture), and a figure is that of the "
        "fastest of them",
    ),
    findings=(
        Claim("cold", "A first call is no call like the others: it takes at least twice as long as a warm one, and the "
              "publication's totals of 100 calls contain it",
              _for_each_choice(_CIPHERS, lambda variants: faster(
                  ((_time(*one), _reading(one[0], "cold_call_wall_ns", one[1])) for one in variants.items()), by=1.0))),
        Claim("two-blocks", "Ciphers with blocks of 8 bytes encrypt two blocks for the 16 bytes",
              NotJudged("it follows from the block sizes")),
    ),
    further_plans={
        "lightweight-pi-lengths": "decryption, key setup apart from the block, and 16 to 4096 bytes",
        "lightweight-pi-instructions": "the same ciphers where the processor has instructions for AES",
        "lightweight-pi-small-boards": "the same ciphers on other ARM boards with at most 1 GiB",
    },
)  # fmt: skip
