"""Keswani and Stewart: Simon 128/256 in Python, JavaScript and Go."""

import math
from collections.abc import Callable, Iterator
from functools import partial

from orchestrator.papers.exact_quantities import Published, SizeOfSource, SourceSize
from orchestrator.papers.names import AxisScale, Unit
from orchestrator.papers.paper import Claim, DeviceKind, Drawing, Figure, Paper, Setting, Spot
from orchestrator.papers.quantities import Quantity, Ratio, Reading, Time
from orchestrator.papers.statements import NotJudged, RatioRange, faster, no_difference
from orchestrator.results.answers.readings import ReadingName

_CIPHER = "simon-128-256-ecb"
_BLOCK_BYTES = 16
_LABELS = {"python": "Python", "javascript": "JavaScript", "go": "Go"}
_SOURCES = {
    "python": "python/ciphers/simon_bits.py",
    "javascript": "javascript/ciphers/simon_bits.js",
    "go": "go/internal/simon/bits.go",
}
"""The programs on lists of bits, as the publication describes its own."""
_CORES = 6
"""Of its computer: no program can use more CPU time than this many times the time that passes."""


def _cold(language: str) -> Time:
    """Return the time from the start of a process to the end of decryption of one block."""
    return Time(language, _CIPHER, "pass", variant="bits", length_bytes=_BLOCK_BYTES)


def _reading(language: str, name: ReadingName) -> Reading:
    return Reading(language, _CIPHER, name, variant="bits", length_bytes=_BLOCK_BYTES)


def _source(language: str, what: SizeOfSource) -> SourceSize:
    return SourceSize(_SOURCES[language], what)


_TIME_S = {"python": 0.0256, "javascript": 1.1820, "go": 0.000048}
_USER_S = {"python": 0.0159, "javascript": 0.0017, "go": 0.0001938}
_SYSTEM_S = {"python": 0.0010, "javascript": 0.0001, "go": 0.0005185}
_MEMORY_MB = {"python": 10.4917, "javascript": 3.539, "go": 2.6037}
_LINES = {"python": 189, "javascript": 276, "go": 245}
_BYTES = {"python": 6129, "javascript": 7553, "go": 6940}
_COMPRESSED = {"python": 2111, "javascript": 2695, "go": 2272}
_ON_DISK, _COMPRESSED_ON_DISK = 8192.0, 4096.0


def _cpu(language: str) -> Published:
    value = _USER_S[language] + _SYSTEM_S[language]
    return Published(f"published user and system CPU time of {_LABELS[language]}", value)


def _wall(language: str) -> Published:
    return Published(f"published execution time of {_LABELS[language]}", _TIME_S[language])


def _go_is_smallest(name: ReadingName) -> RatioRange:
    return faster((_reading("go", name), _reading(one, name)) for one in ("python", "javascript"))


def _figures() -> tuple[Figure, ...]:
    rows: tuple[tuple[str, dict[str, float], Unit, dict[str, Quantity]], ...] = (
        ("execution time", _TIME_S, "s", {one: _cold(one) for one in _LABELS}),
        ("user CPU time", _USER_S, "s", {one: _reading(one, "work_user_ns") for one in _LABELS}),
        ("system CPU time", _SYSTEM_S, "s", {one: _reading(one, "work_system_ns") for one in _LABELS}),
        ("memory", _MEMORY_MB, "MB", {one: _reading(one, "peak_rss_bytes") for one in _LABELS}),
        ("lines of code", {**_LINES}, "lines", {one: _source(one, "lines") for one in _LABELS}),
        ("source", {**_BYTES}, "bytes", {one: _source(one, "bytes") for one in _LABELS}),
        ("compressed source", {**_COMPRESSED}, "bytes", {one: _source(one, "compressed_bytes") for one in _LABELS}),
        ("source on disk", dict.fromkeys(_LABELS, _ON_DISK), "bytes",
         {one: _source(one, "disk_bytes") for one in _LABELS}),
        ("compressed source on disk", dict.fromkeys(_LABELS, _COMPRESSED_ON_DISK), "bytes",
         {one: _source(one, "compressed_disk_bytes") for one in _LABELS}),
    )  # fmt: skip
    return tuple(
        Figure(f"{_LABELS[one]}, {name}", value, unit, f"page on {_LABELS[one]}", quantities[one])
        for name, published, unit, quantities in rows
        for one, value in published.items()
    )


_SLIDE_LABELS = {"javascript": "JavaScript", "python": "Python 3", "go": "Golang"}
"""Languages in the order of the charts."""
_AGAIN = "The slides show execution times twice. The second axis is not in the text; a logarithmic one is assumed."


def _chart(
    name: str, title: str, y: str, unit: Unit, published: dict[str, float], *, reading: Callable[[str], Quantity],
    scale: AxisScale = "linear", remark: str = "",
) -> Drawing:  # fmt: skip
    spots = tuple(Spot(label, "", published[one], reading(one)) for one, label in _SLIDE_LABELS.items())
    return Drawing(name, title, "bars", "language", y, unit, spots, scale=scale, remark=remark)


def _table_of_sources() -> Iterator[Spot]:
    for one, label in _LABELS.items():
        yield Spot(label, "lines of code", _LINES[one], _source(one, "lines"), unit="lines")
        yield Spot(label, "source", _BYTES[one], _source(one, "bytes"))
        yield Spot(label, "compressed", _COMPRESSED[one], _source(one, "compressed_bytes"))
        ratio = Ratio(_source(one, "bytes"), _source(one, "compressed_bytes"), f"compression of {label}")
        yield Spot(label, "source / compressed", _BYTES[one] / _COMPRESSED[one], ratio, unit="times")
        yield Spot(label, "source on disk", _ON_DISK, _source(one, "disk_bytes"))
        yield Spot(label, "compressed on disk", _COMPRESSED_ON_DISK, _source(one, "compressed_disk_bytes"))


_DRAWINGS = (
    _chart("execution-time", "Execution time", "time", "s", _TIME_S, reading=_cold),
    _chart("execution-time-again", "Execution time, second chart", "time", "s", _TIME_S, reading=_cold, scale="log",
           remark=_AGAIN),
    _chart("memory", "Memory usage", "memory", "MB", _MEMORY_MB, reading=partial(_reading, name="peak_rss_bytes")),
    _chart("user-cpu", "User CPU times", "time", "s", _USER_S, reading=partial(_reading, name="work_user_ns")),
    _chart("system-cpu", "System CPU times", "time", "s", _SYSTEM_S, reading=partial(_reading, name="work_system_ns")),
    Drawing("sources", "Lines of code and compression", "table", "language", "size", "bytes",
            tuple(_table_of_sources())),
)  # fmt: skip


PAPER = Paper(
    name="simon-languages",
    title="Analyzing Programming Language Performance on Simon, a Lightweight Block Cipher",
    authors="Keswani, Stewart",
    year=None,
    summary="Simon 128/256 as programs on lists of bits in Python, JavaScript and Go: execution time, user and system "
    "CPU time, memory, lines of code and size of the source for one block; idiomatic programs and C++ next to them.",
    quick={"repetitions": 8},
    claims=(
        Claim("go-time", "Go has the shortest execution time",
              faster((_cold("go"), _cold(one)) for one in ("python", "javascript"))),
        Claim("go-user", "Go has the shortest user CPU time", _go_is_smallest("work_user_ns")),
        Claim("go-system", "Go has the shortest system CPU time", _go_is_smallest("work_system_ns")),
        Claim("go-memory", "Go needs the least memory", _go_is_smallest("peak_rss_bytes")),
        Claim("python-lines", "Python has the fewest lines of code",
              faster(((_source("python", "lines"), _source(one, "lines")) for one in ("javascript", "go")), by=0.0)),
        Claim("compression", "The raw compression of the source has a winner",
              NotJudged("the publication names no winner in its text, and its programs are not published")),
        Claim("disk-tie", "The sizes on disk of the compressed sources are a tie",
              no_difference(((_source("python", "compressed_disk_bytes"), _source(one, "compressed_disk_bytes"))
                             for one in ("javascript", "go")), within=0.01)),
    ),
    figures=_figures(),
    drawings=_DRAWINGS,
    setting=Setting(
        devices=(DeviceKind("MacBook Pro 2018, 2.6 GHz 6-core Intel Core i7, macOS 11.2", ("x86_64",),
                            ("macbookpro", "intel(r) core")),),
        lengths=(_BLOCK_BYTES,),
        code="our own programs, because those of the publication are not published",
    ),
    differences=(
        "times have one scope in every language: from the start of the process to the end of decryption",
        "the compression of sources is gzip -9; that of the publication is not named",
    ),
    findings=(
        Claim("waiting", "The published time of JavaScript is not that of computing: it is more than 100 times the "
              "published CPU time of the same program",
              RatioRange(((_cpu("javascript"), _wall("javascript")),), "time / CPU time above 100", low=math.log(100))),
        Claim("scope", "The published times of Go have different scopes: its CPU time is larger than its 6 cores could "
              "have spent in its execution time",
              RatioRange(((_wall("go"), _cpu("go")),), f"CPU time / time above {_CORES}", low=math.log(_CORES))),
        Claim("same-scope", "With one scope, the CPU time of a process is comparable with its time in every language",
              RatioRange(tuple((_cold(one), Reading(one, _CIPHER, "work_cpu_ns", variant="bits")) for one in _LABELS),
                         "CPU time / time from 0.5 to 2 for every language", math.log(0.5), math.log(2))),
        Claim("start-up", "Start-up is a large part of the time: 256 blocks take less than half of 256 times the CPU "
              "time of one",
              RatioRange(tuple((Reading(one, _CIPHER, "work_cpu_ns", variant="bits", length_bytes=_BLOCK_BYTES),
                                Reading(one, _CIPHER, "work_cpu_ns", variant="bits", length_bytes=4096))
                               for one in _LABELS),
                         "CPU time of 4 KiB / CPU time of 16 bytes below 128 for every language", high=math.log(128))),
        Claim("words", "A program on lists of bits is not what would be used: one on machine words is at least 10 "
              "times as fast in every language, once it has started",
              faster(((Time(one, _CIPHER, variant="words", operation="encrypt"),
                       Time(one, _CIPHER, variant="bits", operation="encrypt"))
                      for one in _LABELS), by=9.0)),
        Claim("disk", "The size on disk is that of a block of the file system: every compressed source needs one",
              RatioRange(tuple((Published("one block of the file system", 4096), _source(one, "compressed_disk_bytes"))
                               for one in _LABELS), "size on disk / 4096 within 1 ± 1%",
                         -math.log1p(0.01), math.log1p(0.01))),
    ),
)  # fmt: skip
