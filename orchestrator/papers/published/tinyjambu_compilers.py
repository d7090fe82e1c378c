"""Ranit: TinyJAMBU by GCC and by Clang, and its Python binding."""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from statistics import fmean

from orchestrator.papers.exact_quantities import Published
from orchestrator.papers.paper import Claim, DeviceKind, Drawing, Figure, Paper, Setting, Spot
from orchestrator.papers.quantities import Ratio, Reading, Time
from orchestrator.papers.statements import NotJudged, RatioRange, faster
from orchestrator.results.answers.readings import ReadingName

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
_CPU_NS = {
    ("gcc", "tinyjambu-128", "encrypt"): (71.1, 84.3, 116, 180, 305, 514, 997),
    ("gcc", "tinyjambu-128", "decrypt"): (75.4, 89.1, 119, 175, 289, 515, 957),
    ("gcc", "tinyjambu-192", "encrypt"): (79.8, 95.6, 126, 186, 300, 517, 984),
    ("gcc", "tinyjambu-192", "decrypt"): (86.3, 102, 132, 193, 309, 563, 993),
    ("gcc", "tinyjambu-256", "encrypt"): (73.0, 88.2, 118, 186, 285, 519, 957),
    ("gcc", "tinyjambu-256", "decrypt"): (76.8, 91.4, 120, 176, 290, 529, 1067),
    ("clang", "tinyjambu-128", "encrypt"): (70.8, 91.8, 110, 175, 328, 540, 1014),
    ("clang", "tinyjambu-128", "decrypt"): (79.7, 90.9, 122, 214, 330, 545, 982),
    ("clang", "tinyjambu-192", "encrypt"): (93.6, 96.3, 134, 191, 297, 565, 1041),
    ("clang", "tinyjambu-192", "decrypt"): (92.7, 109, 139, 193, 306, 537, 1092),
    ("clang", "tinyjambu-256", "encrypt"): (72.9, 88.0, 114, 191, 289, 562, 1016),
    ("clang", "tinyjambu-256", "decrypt"): (81.4, 93.5, 120, 179, 289, 543, 1018),
}
"""CPU times of the same tables."""
_ITERATIONS = {
    ("gcc", "tinyjambu-128", "encrypt"): (9_495_955, 7_960_551, 6_127_276, 2_963_753, 2_449_952, 1_357_901, 717_637),
    ("gcc", "tinyjambu-128", "decrypt"): (7_617_103, 7_593_124, 5_726_532, 3_875_714, 2_411_235, 1_294_626, 724_850),
    ("gcc", "tinyjambu-192", "encrypt"): (8_199_337, 7_123_217, 5_428_141, 3_731_149, 2_347_730, 1_339_384, 693_090),
    ("gcc", "tinyjambu-192", "decrypt"): (7_316_667, 6_725_788, 5_569_508, 3_646_294, 2_249_846, 1_216_099, 702_548),
    ("gcc", "tinyjambu-256", "encrypt"): (8_751_660, 7_819_704, 6_085_791, 3_716_075, 2_329_934, 1_259_347, 634_665),
    ("gcc", "tinyjambu-256", "decrypt"): (9_039_270, 7_348_778, 4_398_762, 3_457_891, 2_354_627, 1_168_170, 582_095),
    ("clang", "tinyjambu-128", "encrypt"): (9_963_749, 8_296_536, 6_119_417, 3_885_993, 2_384_895, 1_365_899, 684_962),
    ("clang", "tinyjambu-128", "decrypt"): (8_686_099, 8_200_675, 5_468_743, 3_852_183, 2_392_181, 1_306_265, 714_019),
    ("clang", "tinyjambu-192", "encrypt"): (8_263_304, 6_981_783, 4_662_549, 3_747_377, 2_281_814, 1_324_061, 654_262),
    ("clang", "tinyjambu-192", "decrypt"): (7_784_718, 6_637_518, 4_630_137, 3_606_906, 2_325_037, 1_363_393, 603_619),
    ("clang", "tinyjambu-256", "encrypt"): (9_474_823, 7_305_085, 6_052_136, 3_931_573, 2_412_178, 1_247_786, 594_645),
    ("clang", "tinyjambu-256", "decrypt"): (9_142_459, 7_391_933, 5_709_360, 3_357_417, 2_386_002, 1_143_018, 606_637),
}
"""Iterations of the same tables."""
_TABLES = dict(zip(product(_COMPILERS, _KEYS), ("I", "II", "III", "IV", "V", "VI"), strict=True))
_AVERAGES = {"tinyjambu-128": 0.949, "tinyjambu-192": 0.958, "tinyjambu-256": 0.985}
"""Averages of table VII: time of GCC / time of Clang."""
_INVERSE_AVERAGES = {"tinyjambu-128": 1.059, "tinyjambu-192": 1.047, "tinyjambu-256": 1.016}
"""Averages of table VIII: time of Clang / time of GCC."""
_PYTHON_NS = {
    ("tinyjambu-128", "encrypt"): 23308, ("tinyjambu-128", "decrypt"): 24036, ("tinyjambu-192", "encrypt"): 24490,
    ("tinyjambu-192", "decrypt"): 24690, ("tinyjambu-256", "encrypt"): 23129, ("tinyjambu-256", "decrypt"): 24227,
}  # fmt: skip
_PYTHON_CPU_NS = {
    ("tinyjambu-128", "encrypt"): (23283, 26902), ("tinyjambu-128", "decrypt"): (24036, 25828),
    ("tinyjambu-192", "encrypt"): (24490, 25712), ("tinyjambu-192", "decrypt"): (24690, 26563),
    ("tinyjambu-256", "encrypt"): (23125, 26996), ("tinyjambu-256", "decrypt"): (24226, 28043),
}  # fmt: skip
"""CPU time and iterations of table IX."""
_NO_LENGTH = "the publication does not state the length of the message"
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


_COMPARED = (
    "The quotients are those of the elapsed times of tables I to VI; the publication rounds them to three decimals."
)
_SPEEDUPS = {"VII": ("gcc", "clang", _AVERAGES), "VIII": ("clang", "gcc", _INVERSE_AVERAGES)}
"""Table → compiler above, compiler below, average for each key."""


def _reading(name: ReadingName, algorithm: str, compiler: str, operation: str, length_bytes: int) -> Reading:
    return Reading("own", algorithm, name, variant="scalar", compiler=compiler, operation=operation,
                   key_setup="included", length_bytes=length_bytes)  # fmt: skip


def _rows() -> Iterator[tuple[str, str, int]]:
    """Yield the name, operation and place of the length of each row, in the order of the tables."""
    for place, operation in product(range(len(_LENGTHS)), _OPERATIONS):
        yield f"{operation.title()}, {_LENGTHS[place]} bytes", operation, place


def _benchmark(compiler: str, key: str) -> Iterator[Spot]:
    for row, operation, place in _rows():
        case, length = (compiler, key, operation), _LENGTHS[place]
        own = (key, compiler, operation, length)
        yield Spot(row, "elapsed time", _PUBLISHED_NS[case][place], _time(*own))
        yield Spot(row, "CPU time", _CPU_NS[case][place], _reading("call_cpu_ns", *own))
        yield Spot(row, "iterations", _ITERATIONS[case][place], _reading("iterations", *own), unit="calls")


def _speedup(above: str, below: str, averages: Mapping[str, float]) -> Iterator[Spot]:
    for row, operation, place in _rows():
        for key in _KEYS:
            published = _PUBLISHED_NS[above, key, operation][place] / _PUBLISHED_NS[below, key, operation][place]
            yield Spot(row, _name(key), published, _quotient(above, below, key, operation, _LENGTHS[place]))
    for key in _KEYS:
        yield Spot("average", _name(key), averages[key], _quotient(above, below, key, ""))


def _quotient(above: str, below: str, key: str, operation: str, length_bytes: int | None = None) -> Ratio:
    times = [_time(key, one, operation, length_bytes) for one in (above, below)]
    return Ratio(times[0], times[1], f"{above} / {below}, {_name(key)}")


def _python() -> Iterator[Spot]:
    for key, operation in product(_KEYS, _OPERATIONS):
        row = f"{operation.title()}, {key[-3:]}-bit key"
        elapsed, (cpu, iterations) = _PYTHON_NS[key, operation], _PYTHON_CPU_NS[key, operation]
        yield Spot(row, "elapsed time", elapsed, reason=_NO_LENGTH)
        yield Spot(row, "CPU time", cpu, reason=_NO_LENGTH)
        yield Spot(row, "iterations", iterations, unit="calls", reason=_NO_LENGTH)


_DRAWINGS = (
    *(Drawing(f"table-{number.lower()}", f"Table {number}: {key[-3:]}-bit key, {_COMPILERS[compiler]}", "table",
              "benchmark", "time of a call", "ns", tuple(_benchmark(compiler, key)),
              remark="Each program chooses its iterations by the time of a call.")
      for (compiler, key), number in _TABLES.items()),
    *(Drawing(f"table-{number.lower()}", f"Table {number}: {_COMPILERS[above]} against {_COMPILERS[below]}", "table",
              "benchmark", f"elapsed time of {_COMPILERS[above]} / {_COMPILERS[below]}", "times",
              tuple(_speedup(above, below, averages)), remark=_COMPARED)
      for number, (above, below, averages) in _SPEEDUPS.items()),
    Drawing("table-ix", "Table IX: Python implementation", "table", "benchmark", "time of a call", "ns",
            tuple(_python())),
)  # fmt: skip


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
            RatioRange(
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
                 reason=_NO_LENGTH)
          for (key, operation), ns in _PYTHON_NS.items()),
    ),
    drawings=_DRAWINGS,
    setting=Setting(
        devices=(
            DeviceKind("Intel Core i7-9750H, Ubuntu 20.04 in a virtual machine", ("x86_64",), ("intel(r) core",),
                       virtual_machine=True),
        ),
        lengths=_LENGTHS,
        flags="-O3",
        compilers="GCC 10.5 and Clang 10",
        code="our own code instead of the measured library, which passes no known answer",
    ),
    differences=(
        "the known answers of each build must pass before timing; the measured library passed none",
        "a call includes the key setup, as that of Google Benchmark does",
    ),
    findings=(
        Claim("impossible", f"The published times are physically impossible: every one is below the time that the "
              f"dependent steps of its permutations take at {_MAX_GHZ} GHz",
              RatioRange(tuple((_bound(one[1], _LENGTHS[one[3]]), _published(*one)) for one in _ALL),
                         f"published / lower bound at most 1 for each of {len(_ALL)} times", high=0.0)),
        Claim("sign", "Its own averages contradict its conclusion: by them, GCC is faster for every key size",
              RatioRange(tuple((Published("equal times", 1.0), _average(key)) for key in _KEYS),
                         "average of GCC / Clang at most 1 for every key size", high=0.0)),
        Claim("no-thousands", "Its Python binding takes 23 to 400 times as long as its C++, not thousands of times",
              RatioRange(tuple((_published(*one), Published("Python binding", _PYTHON_NS[one[1], one[2]]))
                               for one in _ALL), "Python / C++ at most 400 for each time", high=math.log(400))),
        Claim("key-sizes", "Longer keys cost more, which the published times do not show: a 256-bit key takes at least "
              "1.1 times as long as a 128-bit key",
              faster(((_time("tinyjambu-128", one, "encrypt", 4096), _time("tinyjambu-256", one, "encrypt", 4096))
                      for one in _COMPILERS), by=0.1)),
        Claim("known-answers", "The measured library passes 0 of 1089 known answers at that commit: its figures time a "
              "cipher that does nothing",
              NotJudged("it was found by executing that library; here the known answers pass before any timing")),
    ),
    further_plans={
        "tinyjambu-compilers-energy": "cycles per instruction, and energy of a call and of a byte",
    },
)  # fmt: skip
