"""SUPERCOP's file ``data``: cycles of calls, by primitive and message length. One record is one line of words.

Source: measure-anything.c, crypto_aead/measure.c and do-part of SUPERCOP 20231211 and 20260217. The words of a record:
version, host, ABI, date, operation, primitive (with its security model after a slash), kind of the record, and what the
kind has. A kind ``cycles`` or ``…_cycles`` is a measurement: the length (``-`` without one; of an AEAD 1 000 000 times
the length of the associated data plus that of the message), the median, and the timings: numbers, or in newer versions
one word of differences to the median (``+12-3+0``). A primitive is measured several times with the same length.
Lines that begin with ``+`` are the log.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.imports.checks import DAMAGED, check_count, line, refused
from orchestrator.imports.document import MAX_READINGS, MAX_VALUE, ImportedFile, Series, figures_of
from orchestrator.imports.formats import Content

NAME = "supercop"
TITLE = "SUPERCOP"
COMMAND = "./do-part init; ./do-part crypto_aead PRIMITIVE (writes bench/HOST/data)"
SCOPE = "One call inside a process, with the key set up in it, in cycles of SUPERCOP's counter."
DISPERSION = "The dispersion is that of consecutive calls inside one process, not that between processes."

_HEAD_WORDS = 7
_RECORD = re.compile(r"\d{8} \S+ \S+ \d{8} crypto_\S+ \S+ \S+")
_DIFFERENCES = re.compile(r"(?:[+-]\d{1,18})+")
_DIFFERENCE = re.compile(r"[+-]\d+")
_NUMBER = re.compile(r"\d{1,18}")
_AEAD_FACTOR = 1_000_000
_STATEMENTS = {
    "implementation": "implementation", "compiler": "compiler", "cpucycles_persecond": "cycles per second",
    "cpucycles_implementation": "cycle counter", "cpuid": "processor",
}  # fmt: skip


@dataclass
class _Measured:
    """Timings of one key so far."""

    readings: list[float] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)


def recognizes(content: Content) -> bool:
    """Return whether the first line is a record."""
    return content.document is None and _RECORD.match(content.text) is not None


def parse(content: Content) -> ImportedFile:
    """Return a series for each operation, primitive, kind of call and length."""
    if not content.text.endswith("\n"):
        last = content.text.rpartition("\n")[2]
        raise refused(f"The file is cut off: its last line {last[-60:]!r} has no end.", remedy=DAMAGED)
    measured: dict[tuple[str, ...], _Measured] = {}
    stated: dict[tuple[str, ...], dict[str, str]] = {}
    skipped = total = 0
    for number, text in enumerate(content.text.splitlines(), start=1):
        if text.startswith("+") or not text.strip():
            continue
        words = text.split()
        if _RECORD.match(" ".join(words[:_HEAD_WORDS])) is None:
            raise refused(f"Line {number} is no record of SUPERCOP: {line(text, f'line {number}')[:80]!r}.")
        own, kind = tuple(words[: _HEAD_WORDS - 1]), words[_HEAD_WORDS - 1]
        if kind in _STATEMENTS:
            rest = line(" ".join(words[_HEAD_WORDS:]).removesuffix(" -") or "-", f"line {number}")
            stated.setdefault(own, {})[_STATEMENTS[kind]] = rest[:300]
        elif kind == "cycles" or kind.endswith("_cycles"):
            length, readings = _timings(words[_HEAD_WORDS:], number)
            known = stated.get(own, {})
            key = (*(line(word, f"line {number}") for word in own), kind, length, known.get("compiler", ""))
            found = measured.setdefault(key, _Measured(facts=dict(known)))
            check_count(len(measured))
            total += len(readings)
            check_count(total, "readings", MAX_READINGS)
            found.readings += readings
        else:
            skipped += 1
    hosts = {key[1] for key in measured}
    series = [_series(key, found, several_hosts=len(hosts) > 1) for key, found in measured.items()]
    left_out = [f"{skipped} records about compiling, testing and sizes were left out."] if skipped else []
    return ImportedFile(series, host=hosts.pop() if len(hosts) == 1 else None, omissions=left_out)


def _timings(words: Sequence[str], number: int) -> tuple[str, list[float]]:
    """Return the length word and the timings of a measurement; without timings, its median is the only one."""
    if len(words) < 2 or not (words[0] == "-" or _NUMBER.fullmatch(words[0])) or not _NUMBER.fullmatch(words[1]):
        raise refused(f"Line {number} has no length and median after its kind: {' '.join(words)[:60]!r}.")
    length, median, rest = words[0], int(words[1]), words[2:]
    check_count(max(len(rest), sum(word.count("+") + word.count("-") for word in rest)), "readings", MAX_READINGS)
    if not rest:
        found = [median]
    elif len(rest) == 1 and _DIFFERENCES.fullmatch(rest[0]):
        found = [median + int(one) for one in _DIFFERENCE.findall(rest[0])]
    elif all(_NUMBER.fullmatch(word) for word in rest):
        found = [int(word) for word in rest]
        if median not in found:
            raise refused(f"Line {number} has the median {median}, which is none of its {len(found)} timings.")
    else:
        raise refused(f"Line {number} has timings that are no numbers of 0 or more: {' '.join(rest)[:60]!r}.")
    if min(found) < 0 or max(found) > MAX_VALUE:
        raise refused(f"Line {number} has a timing of {min(found)} cycles; expected 0 or more.")
    return length, [float(one) for one in found]


def _series(key: tuple[str, ...], found: _Measured, *, several_hosts: bool) -> Series:
    version, host, abi, date, operation, primitive, kind, length, _compiler = key
    message = None if length == "-" else int(length)
    known = {"SUPERCOP": version, "ABI": abi, "measured": date, **({"host": host} if several_hosts else {})}
    if message is not None and operation == "crypto_aead":
        associated, message = divmod(message, _AEAD_FACTOR)
        known["associated data"] = f"{associated} bytes"
    return Series(
        f"{operation} {primitive}",
        kind.replace("_", " "),
        "cycles",
        figures_of(found.readings),
        tuple(found.readings),
        length_bytes=message,
        facts={**known, **found.facts},
        length_missing="The record has no length.",
    )
