"""Raducu, Rodríguez and Álvarez (2021): Crypto++ against Botan on a Raspberry Pi 4, by the program EvalMe."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

from orchestrator.papers.exact_quantities import Published
from orchestrator.papers.order_effect import MoreFalseDifferences
from orchestrator.papers.paper import Claim, DeviceKind, Drawing, Figure, Paper, Setting, Spot
from orchestrator.papers.quantities import Quantity, Reading, Time
from orchestrator.papers.statements import FixedCost, Growth, NotJudged, RatioRange, faster, no_difference
from orchestrator.results.answers.readings import ReadingName
from orchestrator.shared.units import KIB, MIB

_LIBRARIES = ("cryptopp", "botan")
_MODES = ("cbc", "ofb", "ctr", "cfb")
_STREAMS = ("salsa20-128", "salsa20-256", "chacha20-128", "chacha20-256")
_ALGORITHMS = (*(f"{cipher}-192-{mode}" for cipher in ("3des", "aes") for mode in _MODES), *_STREAMS)
_KINDS = ("random", "audio", "video", "text")
_NO_DIFFERENCE = 0.05
_PER_DOUBLING = 0.01
_PHASE_PER_DOUBLING = 0.05
_MEMORY_BYTES = 0.36 * MIB
_WATCHED = ("3des-192-cbc", "aes-192-cbc", "chacha20-128")
"""Algorithms of plans/evalme-2021-watching.yaml."""
_SMALL, _LARGE = 128 * KIB, 8 * MIB


def _time(library: str, algorithm: str, kind: str = "", *, per_byte: bool = False) -> Time:
    """Return the time from the start of the process to the end of decryption, which is what EvalMe times."""
    return Time(library, algorithm, "pass", kind=kind, per_byte=per_byte)


def _memory(library: str, algorithm: str, length_bytes: int | None = None) -> Reading:
    return Reading(library, algorithm, "peak_rss_bytes", length_bytes=length_bytes)


def _watched(library: str, algorithm: str, name: ReadingName, length_bytes: int | None = None) -> Reading:
    """Return a reading of the executions that a shell started, as EvalMe starts them."""
    return Reading(library, algorithm, name, "shell", length_bytes=length_bytes)


_MEANS = {
    ("cryptopp", "3des-192-cfb"): 6.09, ("cryptopp", "3des-192-ofb"): 5.58, ("cryptopp", "aes-192-cbc"): 12.05,
    ("cryptopp", "aes-192-cfb"): 10.92, ("botan", "3des-192-cbc"): 5.18, ("botan", "3des-192-ctr"): 2.94,
    ("botan", "aes-192-cbc"): 6.6, ("botan", "aes-192-ctr"): 3.29, ("cryptopp", "chacha20-128"): 13.12,
    ("cryptopp", "salsa20-128"): 12.89, ("botan", "salsa20-128"): 4.16, ("botan", "chacha20-128"): 3.93,
}  # fmt: skip
"""Average performance that the text on figure 1 prints, in MiB/s."""


def _figure(library: str, algorithm: str, value: float) -> Figure:
    label = f"{_NAMES[library]} {algorithm}"
    return Figure(label, value, "MiB/s", "text on figure 1", _time(library, algorithm, per_byte=True))


_LENGTHS = {"128 KiB": 128 * KIB, "256 KiB": 256 * KIB, "512 KiB": 512 * KIB, "1 MiB": MIB, "4 MiB": 4 * MIB,
            "8 MiB": 8 * MIB}  # fmt: skip
_MEAN = "all lengths"
_NAMES = {"cryptopp": "Crypto++", "botan": "Botan"}
_BEST_STREAMS = {"cryptopp": "chacha20-128", "botan": "salsa20-128"}
_ASSUMED = "The text prints averages over all lengths and names no axes: lengths on the horizontal axis are assumed."


def _over_lengths(
    panel: str, series: str, quantity: Callable[[int | None], Quantity], mean: float | None
) -> list[Spot]:
    """Return a series over all lengths, and the average that the text prints for it, if any."""
    return [
        *(Spot(label, series, None, quantity(length), panel) for label, length in _LENGTHS.items()),
        Spot(_MEAN, series, mean, quantity(None), panel),
    ]


def _speed(library: str, algorithm: str, kind: str = "") -> Callable[[int | None], Quantity]:
    return lambda length: Time(library, algorithm, "pass", kind=kind, per_byte=True, length_bytes=length)


def _figure_1() -> Iterator[Spot]:
    for library, cipher in product(_LIBRARIES, ("3des", "aes")):
        for mode in _MODES:
            name = f"{cipher}-192-{mode}"
            panel = f"{cipher.upper()} in {_NAMES[library]}"
            yield from _over_lengths(panel, mode.upper(), _speed(library, name), _MEANS.get((library, name)))


def _streams_of_figure_1() -> Iterator[Spot]:
    for library, name in product(_LIBRARIES, _STREAMS):
        panel = f"stream ciphers in {_NAMES[library]}"
        yield from _over_lengths(panel, name, _speed(library, name), _MEANS.get((library, name)))


def _figure_2() -> Iterator[Spot]:
    for library in _LIBRARIES:
        for name, kind in product(("aes-192-cbc", _BEST_STREAMS[library]), _KINDS):
            yield from _over_lengths(f"{name} in {_NAMES[library]}", kind, _speed(library, name, kind), None)


def _figure_3() -> Iterator[Spot]:
    for mode in _MODES:
        name = f"aes-192-{mode}"
        yield from _over_lengths("", mode.upper(), partial(_memory, "cryptopp", name), _MEMORY_BYTES / MIB)


_DRAWINGS = (
    Drawing("figure-1", "Figure 1, top and middle: performance of block ciphers", "bars", "length", "performance",
            "MiB/s", tuple(_figure_1()), "mode", remark=_ASSUMED),
    Drawing("figure-1-streams", "Figure 1, bottom: performance of stream ciphers", "bars", "length", "performance",
            "MiB/s", tuple(_streams_of_figure_1()), "cipher", remark=_ASSUMED),
    Drawing("figure-2", "Figure 2: performance of the best block and stream cipher by kind of input", "bars", "length",
            "performance", "MiB/s", tuple(_figure_2()), "kind of input",
            remark=f"{_ASSUMED} It prints none of the values of this figure."),
    Drawing("figure-3", "Figure 3: average memory usage for AES in Crypto++", "bars", "length", "memory", "MiB",
            tuple(_figure_3()), "mode", remark=_ASSUMED),
)  # fmt: skip


PAPER = Paper(
    name="evalme-2021",
    title="Resource Consumption Evaluation of C++ Cryptographic Libraries on Resource-Constrained Devices",
    authors="Raducu, Rodríguez, Álvarez",
    year=2021,
    summary="AES and 3DES with 192-bit keys in four modes, Salsa20 and ChaCha20 with two key lengths: encryption then "
    "decryption of chunks of 128 KiB to 8 MiB of four kinds in a fresh process, 20 repetitions, 11 520 executions.",
    quick={"repetitions": 8, "inputs": {"sizes": ["128 KiB", "512 KiB", "1 MiB"]}},
    claims=(
        Claim(
            "aes-over-3des",
            "AES always outperforms 3DES",
            faster(
                ((_time(one, f"aes-192-{mode}"), _time(one, f"3des-192-{mode}"))
                 for one, mode in product(_LIBRARIES, _MODES)),
                each="length",
            ),
        ),
        Claim(
            "cryptopp-over-botan",
            "Crypto++ always outperforms Botan",
            faster(((_time("cryptopp", one), _time("botan", one)) for one in _ALGORITHMS), each="length"),
        ),
        Claim(
            "chacha20-fastest-cryptopp",
            "ChaCha20 is the fastest overall in Crypto++",
            faster((_time("cryptopp", "chacha20-128"), _time("cryptopp", one))
                   for one in _ALGORITHMS if not one.startswith("chacha20")),
        ),
        Claim(
            "aes-over-streams-botan",
            "AES, in its best mode CBC, outperforms the stream ciphers in Botan",
            faster((_time("botan", "aes-192-cbc"), _time("botan", one)) for one in _STREAMS),
        ),
        Claim(
            "larger-faster-botan",
            "Larger files are faster in Botan",
            Growth(
                tuple(_time("botan", one, per_byte=True) for one in _ALGORITHMS),
                f"throughput per doubling of the length above {1 + _PER_DOUBLING:g} for every algorithm",
                low=_PER_DOUBLING,
            ),
        ),
        Claim(
            "larger-not-faster-cryptopp",
            "Larger files are not faster in Crypto++",
            Growth(
                tuple(_time("cryptopp", one, per_byte=True) for one in _ALGORITHMS),
                f"throughput per doubling of the length at most {1 + _PER_DOUBLING:g} for every algorithm",
                high=_PER_DOUBLING,
            ),
        ),
        Claim(
            "key-length",
            "The key length makes no difference for the stream ciphers",
            no_difference(
                ((_time(one, f"{cipher}-128"), _time(one, f"{cipher}-256"))
                 for one, cipher in product(_LIBRARIES, ("salsa20", "chacha20"))),
                within=_NO_DIFFERENCE,
            ),
        ),
        Claim(
            "kind-of-input",
            "The kind of input makes no difference",
            no_difference(
                ((_time(one, algorithm, "random"), _time(one, algorithm, kind))
                 for one, algorithm, kind in product(_LIBRARIES, _ALGORITHMS, _KINDS[1:])),
                within=_NO_DIFFERENCE,
            ),
        ),
        Claim(
            "memory",
            "Memory is the same whatever is executed",
            no_difference(
                ((_memory("cryptopp", "aes-192-cbc"), _memory(*one))
                 for one in product(_LIBRARIES, _ALGORITHMS) if one != ("cryptopp", "aes-192-cbc")),
                within=_NO_DIFFERENCE,
            ),
        ),
        Claim(
            "o3-not-fastest",
            "-O3 is not the fastest flag",
            NotJudged("both libraries are linked as their packages were compiled; a plan's flags do not change them"),
        ),
    ),
    figures=(
        *(_figure(*case, value) for case, value in _MEANS.items()),
        Figure("memory", _MEMORY_BYTES, "bytes", "figure 3",
               reason="EvalMe observed the shell that started the program, not the program"),
    ),
    drawings=_DRAWINGS,
    setting=Setting(
        devices=(DeviceKind("Raspberry Pi 4 Model B, 32-bit Raspbian", ("armv7l",), ("raspberry pi 4",)),),
        lengths=tuple(_LENGTHS.values()),
        flags="-O3",
        compilers="GCC 8.3.0",
        code="runners of our own and the installed libraries (publication: its own programs, Crypto++ 8.4, "
        "Botan 2.17.3)",
    ),
    differences=(
        "memory is read by the program itself at the end of its work; EvalMe observed the shell that started it",
        "a time is one execution, from the start of the process to the end of decryption, by the clock of the launcher",
        "the repetitions of all cases are interleaved; EvalMe measured case by case",
    ),
    findings=(
        Claim(
            "memory-of-the-shell",
            "The published memory is that of a shell: the program needs at least 4 times as much with the smallest "
            "file. EvalMe polls the process that shell=True returns, which is /bin/sh on Debian",
            faster(((Published("published memory", _MEMORY_BYTES), _memory(one, "aes-192-cbc", 128 * KIB))
                    for one in _LIBRARIES), by=3.0),
        ),
        Claim(
            "impossible-memory",
            "The published memory is impossible for the larger files: it is less than one file of 512 KiB",
            RatioRange(((Published("a file of 512 KiB", 512 * KIB), Published("published memory", _MEMORY_BYTES)),),
                       "published memory / file at most 1", high=0.0),
        ),
        Claim(
            "start-up",
            "A fixed cost is a large part of the time of small files: with T(n) = a + b·n, a is at least a fifth of "
            "T(128 KiB) for the stream ciphers, so that larger files look faster",
            FixedCost(tuple(_time(one, algorithm) for one, algorithm in product(_LIBRARIES, _STREAMS)), 0.2),
        ),
        Claim(
            "cost-per-byte",
            "Without start-up, larger files are not faster: the throughput of the encryption phase in Botan changes by "
            "at most 5 % per doubling of the length",
            Growth(
                tuple(Time("botan", one, "encrypt", per_byte=True) for one in _ALGORITHMS),
                "throughput of encryption per doubling of the length within 1 ± 0.05 for every algorithm",
                -_PHASE_PER_DOUBLING, _PHASE_PER_DOUBLING,
            ),
        ),
        Claim(
            "duration",
            "The published duration is not that of its executions: 5780 minutes are 30 s for each, at least 10 times "
            "what the slowest published throughput needs for the largest file",
            faster([(Published("8 MiB at 2.94 MiB/s", 8 / 2.94), Published("duration of one", 5780 * 60 / 11520))],
                   by=9.0),
        ),
        Claim(
            "blocked-order",
            "Its order is blocked, which gives 18 to 28 % false differences where a binary is compared with itself",
            MoreFalseDifferences("evalme-2021-order"),
        ),
        Claim(
            "watching-the-shell",
            "EvalMe's way of watching does not see the program: in the same executions, the mean of the samples of the "
            "process that shell=True returns is less than half of the memory that the program itself reports",
            faster(((_watched(*one, "shell_mean_rss_bytes"), _watched(*one, "peak_rss_bytes"))
                    for one in product(_LIBRARIES, _WATCHED)), by=1.0),
        ),
        Claim(
            "watching-sees-no-file",
            "EvalMe's way of watching does not see the file either: while the program holds 8 MiB, the mean of the "
            "samples is less than half of that",
            faster(((_watched(*one, "shell_mean_rss_bytes", _LARGE), Published("a file of 8 MiB", _LARGE))
                    for one in product(_LIBRARIES, _WATCHED)), by=1.0),
        ),
        Claim(
            "program-needs-more",
            "The program itself needs at least twice as much memory for a file of 8 MiB as for one of 128 KiB",
            faster(((_watched(*one, "peak_rss_bytes", _SMALL), _watched(*one, "peak_rss_bytes", _LARGE))
                    for one in product(_LIBRARIES, _WATCHED)), by=1.0),
        ),
    ),
    further_plans={
        "evalme-2021-watching":
            "memory by EvalMe's way of watching, next to what the program reports in the same executions",
        "evalme-2021-order":
            "false differences of a case with itself in blocked order, next to interleaved order",
    },
)  # fmt: skip
