"""Ranit: TinyJAMBU by GCC and by Clang, and its Python binding."""

from itertools import product

from orchestrator.papers.paper import Claim, Figure, Paper
from orchestrator.papers.quantities import Time
from orchestrator.papers.statements import Compared, faster

_KEYS = ("tinyjambu-128", "tinyjambu-192", "tinyjambu-256")
_OPERATIONS = ("encrypt", "decrypt")
_THOUSANDS = 7.6
"""ln(2000)."""


def _time(algorithm: str, compiler: str, operation: str, length_bytes: int | None = None) -> Time:
    return Time("own", algorithm, variant="scalar", compiler=compiler, operation=operation, key_setup="included",
                length_bytes=length_bytes)  # fmt: skip


_NO_CIPHER = "the measured library passed none of its 1089 known answers: the figure is not of TinyJAMBU"

PAPER = Paper(
    name="tinyjambu-compilers",
    title="Studying the Implementations and Performance of the Lightweight Cryptographic TinyJAMBU Algorithm Between "
    "C++ Compilers",
    authors="Rob Ranit",
    year=None,
    summary="TinyJAMBU with keys of 128, 192 and 256 bits: encryption and decryption of 64 to 4096 bytes with 32 bytes "
    "of associated data, elapsed time by compiler, and the Python binding.",
    quick={"repetitions": 8, "messages": {"lengths": [64, 512, 4096]}},
    claims=(
        Claim(
            "clang-faster",
            "Clang is slightly faster than GCC for every key size",
            faster((_time(key, "clang", operation), _time(key, "gcc", operation))
                   for key, operation in product(_KEYS, _OPERATIONS)),
        ),
        Claim(
            "python-binding",
            "The Python binding is thousands of times slower than C++",
            Compared(
                tuple((_time(key, "gcc", operation), Time("own-python", key, operation=operation))
                      for key, operation in product(_KEYS, _OPERATIONS)),
                "Python / C++ above 2000 for every key size and operation",
                low=_THOUSANDS,
            ),
        ),
    ),
    figures=(
        *(
            Figure(f"TinyJAMBU-128, encryption of {length} bytes, GCC", ns, "ns", "table I",
                   _time("tinyjambu-128", "gcc", "encrypt", length))
            for length, ns in {64: 71.2, 512: 180.0, 4096: 998.0}.items()
        ),
        Figure("average of table VII, 128-bit key", 0.949, "times", "table VII", reason=_NO_CIPHER),
        Figure("average of table VII, 192-bit key", 0.958, "times", "table VII", reason=_NO_CIPHER),
        Figure("average of table VII, 256-bit key", 0.985, "times", "table VII", reason=_NO_CIPHER),
    ),
    findings=(
        "The measured repository passes 0 of 1089 known answers at that commit, so that its figures time a cipher that "
        "does nothing.",
        "The figures are physically impossible: 4096 bytes need at least 57 000 cycles, 13 µs at 4.5 GHz, against "
        "0.998 µs.",
        "Its own average ratios (0.949, 0.958, 0.985) contradict its conclusion.",
        "Its Python binding takes 23 µs against 0.07 to 1.0 µs: 23 to 330 times as long, not thousands.",
    ),
)  # fmt: skip
