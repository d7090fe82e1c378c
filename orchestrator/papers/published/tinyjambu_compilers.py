"""Ranit: TinyJAMBU by GCC and by Clang, and its Python binding."""

import math
from itertools import product
from statistics import fmean

from orchestrator.papers.exact_quantities import Published
from orchestrator.papers.paper import Claim, Figure, FurtherPlan, Paper
from orchestrator.papers.quantities import Time
from orchestrator.papers.statements import Compared, NotJudged, faster

_PERMUTATION_STEPS = {"tinyjambu-128": 1024, "tinyjambu-192": 1152, "tinyjambu-256": 1280}
_KEYS = tuple(_PERMUTATION_STEPS)
_COMPILERS = {"gcc": "GCC", "clang": "Clang"}
_OPERATIONS = ("encrypt", "decrypt")
_LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
_THOUSANDS = 7.6
"""ln(2000)."""
_INDEPENDENT_STEPS = 37
"""Steps of the permutation that do not depend on each other; each group takes two dependent operations."""
_WORD_BYTES = 4
_MAX_GHZ = 4.5
"""Highest clock of the publication's processor, an Intel Core i7-9750H."""


def _time(algorithm: str, compiler: str, operation: str, length_bytes: int | None = None) -> Time:
    return Time("own", algorithm, variant="scalar", compiler=compiler, operation=operation, key_setup="included",
                length_bytes=length_bytes)  # fmt: skip


def _binding_time(algorithm: str, operation: str) -> Time:
    return Time("python-binding", algorithm, variant="library", operation=operation, key_setup="included")


_PUBLISHED_NS = {
    ("gcc", "tinyjambu-128", "encrypt"): (71.2, 84.3, 116, 180, 305, 519, 998),
    ("gcc", "tinyjambu-128", "decrypt"): (75.5, 89.2, 119, 175, 289, 515, 958),
    ("gcc", "tinyjambu-192", "encrypt"): (79.8, 95.6, 126, 186, 300, 518, 985),
    ("gcc", "tinyjambu-192", "decrypt"): (86.4, 102, 132, 193, 309, 563, 994),
    ("gcc", "tinyjambu-256", "encrypt"): (73.0, 88.2, 118, 186, 285, 519, 957),
    ("gcc", "tinyjambu-256", "decrypt"): (76.9, 91.4, 120, 176, 290, 529, 1067),
    ("clang", "tinyjambu-128", "encrypt"): (70.8, 102, 110, 175, 328, 540, 1015),
    ("clang", "tinyjambu-128", "decrypt"): (79.8, 90.9, 123, 215, 330, 546, 984),
    ("clang", "tinyjambu-192", "encrypt"): (93.7, 96.3, 134, 191, 297, 568, 1042),
    ("clang", "tinyjambu-192", "decrypt"): (92.8, 109, 139, 193, 307, 537, 1093),
    ("clang", "tinyjambu-256", "encrypt"): (72.9, 88.0, 114, 191, 289, 563, 1017),
    ("clang", "tinyjambu-256", "decrypt"): (81.5, 93.5, 120, 179, 289, 543, 1018),
}
"""Elapsed times of tables I to VI by length."""
_TABLES = dict(zip(product(_COMPILERS, _KEYS), ("I", "II", "III", "IV", "V", "VI"), strict=True))
_AVERAGES = {"tinyjambu-128": 0.949, "tinyjambu-192": 0.958, "tinyjambu-256": 0.985}
"""Averages of table VII: time of GCC / time of Clang."""
_PYTHON_NS = {
    ("tinyjambu-128", "encrypt"): 23308, ("tinyjambu-128", "decrypt"): 24036, ("tinyjambu-192", "encrypt"): 24490,
    ("tinyjambu-192", "decrypt"): 24690, ("tinyjambu-256", "encrypt"): 23129, ("tinyjambu-256", "decrypt"): 24227,
}  # fmt: skip
_NO_CIPHER = "the measured library passed none of its 1089 known answers: the figure is not of TinyJAMBU"


def _name(key: str) -> str:
    return key.replace("tinyjambu", "TinyJAMBU")


def _published(compiler: str, key: str, operation: str, place: int) -> Published:
    label = f"{_name(key)}, {operation}ion of {_LENGTHS[place]} bytes, {_COMPILERS[compiler]}"
    return Published(label, _PUBLISHED_NS[compiler, key, operation][place])


def _bound(key: str, length_bytes: int) -> Published:
    """Return the least nanoseconds of a message, its associated data and its tag not counted."""
    steps = math.ceil(_PERMUTATION_STEPS[key] / _INDEPENDENT_STEPS)
    cycles = length_bytes // _WORD_BYTES * steps * 2
    return Published(f"lower bound of {_name(key)} at {_MAX_GHZ} GHz", cycles / _MAX_GHZ)


def _average(key: str) -> Published:
    """Return the average of a key's column in table VII, from the times of tables I to VI."""
    rows = [zip(_PUBLISHED_NS["gcc", key, one], _PUBLISHED_NS["clang", key, one], strict=True) for one in _OPERATIONS]
    return Published(f"average of GCC / Clang, {_name(key)}", fmean(gcc / clang for row in rows for gcc, clang in row))


_ALL = tuple((*row, place) for row in _PUBLISHED_NS for place in range(len(_LENGTHS)))


PAPER = Paper(
    name="tinyjambu-compilers",
    title="Studying the Implementations and Performance of the Lightweight Cryptographic TinyJAMBU Algorithm Between "
    "C++ Compilers",
    authors="Rob Ranit",
    year=None,
    summary="TinyJAMBU with keys of 128, 192 and 256 bits: encryption and decryption of 64 to 4096 bytes with 32 bytes "
    "of associated data, elapsed time by compiler, and the Python binding.",
    # Builds with -O3 take minutes for each compiler; those with the default optimization serve other plans, too.
    quick={
        "repetitions": 8,
        "toolchains": [{"compiler": ["gcc", "clang", "cpython-binding"]}],
        "messages": {"lengths": [64, 512, 4096]},
    },
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
                tuple((_time(key, "gcc", operation), _binding_time(key, operation))
                      for key, operation in product(_KEYS, _OPERATIONS)),
                "Python / C++ above 2000 for every key size and operation",
                low=_THOUSANDS,
            ),
        ),
    ),
    figures=(
        *(
            Figure(_published(*one).label, _published(*one).value, "ns", f"table {_TABLES[one[:2]]}",
                   _time(one[1], one[0], one[2], _LENGTHS[one[3]]))
            for one in _ALL
        ),
        *(Figure(f"average of GCC / Clang, {_name(key)}", value, "times", "table VII", reason=_NO_CIPHER)
          for key, value in _AVERAGES.items()),
        *(Figure(f"{_name(key)}, {operation}ion, Python binding", ns, "ns", "table IX",
                 reason="the publication does not state the length of the message")
          for (key, operation), ns in _PYTHON_NS.items()),
    ),
    published_on="Intel Core i7-9750H, Ubuntu 20.04 in a virtual machine, GCC 10.5, Clang 10",
    differences=(
        "the known answers of each build must pass before timing; the measured library passed none",
        "quick scale compiles with the default optimization, full scale with -O3",
        "a call includes the key setup, as that of Google Benchmark does",
    ),
    findings=(
        Claim("impossible", f"The published times are physically impossible: every one is below the time that the "
              f"dependent steps of its permutations take at {_MAX_GHZ} GHz",
              Compared(tuple((_bound(one[1], _LENGTHS[one[3]]), _published(*one)) for one in _ALL),
                       f"published / lower bound at most 1 for each of {len(_ALL)} times", high=0.0)),
        Claim("sign", "Its own averages contradict its conclusion: by them, GCC is faster for every key size",
              Compared(tuple((Published("equal times", 1.0), _average(key)) for key in _KEYS),
                       "average of GCC / Clang at most 1 for every key size", high=0.0)),
        Claim("no-thousands", "Its Python binding takes 23 to 400 times as long as its C++, not thousands of times",
              Compared(tuple((_published(*one), Published("Python binding", _PYTHON_NS[one[1], one[2]]))
                             for one in _ALL), "Python / C++ at most 400 for each time", high=math.log(400))),
        Claim("key-sizes", "Longer keys cost more, which the published times do not show: a 256-bit key takes at least "
              "1.1 times as long as a 128-bit key",
              faster(((_time("tinyjambu-128", one, "encrypt", 4096), _time("tinyjambu-256", one, "encrypt", 4096))
                      for one in _COMPILERS), by=0.1)),
        Claim("known-answers", "The measured library passes 0 of 1089 known answers at that commit: its figures time a "
              "cipher that does nothing",
              NotJudged("it was found by executing that library; here the known answers pass before any timing")),
    ),
    further_plans=(
        FurtherPlan("tinyjambu-compilers-energy", "cycles per instruction, and energy of a call and of a byte"),
    ),
)  # fmt: skip
