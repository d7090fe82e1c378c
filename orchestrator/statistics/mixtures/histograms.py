"""Histograms of message lengths as text: typed, or CSV with a line per length or per packet."""

import csv
import math
import re
from collections.abc import Iterator, Sequence

from orchestrator.shared.units import format_size, parse_size_bytes

MAX_LENGTHS = 4096
"""Different lengths of a histogram."""
MAX_LENGTH_BYTES = 2**30
LENGTH_COLUMNS = ("length_bytes", "length", "len", "bytes", "size", "frame.len", "frame_len", "ip.len", "udp.length")
"""Names of the column with the length; Wireshark and tshark write ``Length`` and ``frame.len``."""
COUNT_COLUMNS = ("count", "messages", "packets", "frequency")
FORMS = "Write '24:900, 1500:100', or CSV with a column length_bytes and perhaps count."
_EXAMPLE = "expected a length and a count, such as 24:900"


def parse_histogram(text: str) -> dict[int, float]:
    """Return the number of messages of each length in bytes, ascending.

    text: pairs ``24:900`` apart by commas, semicolons or line breaks; or CSV, with a line per length or, without a
    column of counts, per packet. Lengths may have a unit (``1 KiB``). Lengths without messages are omitted.
    Raises ValueError with the place, the value found and the value expected.
    """
    rows = list(_csv_rows(text) if _is_csv(text) else _pairs(text))
    counts: dict[int, float] = {}
    for place, length, count in rows:
        size, number = _length(place, length), _count(place, count)
        if number:
            counts[size] = counts.get(size, 0.0) + number
    if not counts:
        raise ValueError("the histogram has no messages, expected at least one")
    if len(counts) > MAX_LENGTHS:
        raise ValueError(f"the histogram has {len(counts)} different lengths, at most {MAX_LENGTHS} are allowed")
    return dict(sorted(counts.items()))


def format_histogram(counts: dict[int, float]) -> str:
    """Return the text that parse_histogram reads: ``24:900, 1500:100``."""
    return ", ".join(f"{length}:{count:.12g}" for length, count in counts.items())


_Row = tuple[str, str, str]
"""Place, length, count."""


def _is_csv(text: str) -> bool:
    # Lines of packets may contain colons; a first line with the name of a column decides.
    first = next((line for line in text.splitlines() if line.strip()), "")
    names = {name.strip(' "\ufeff').lower() for name in re.split(r"[,;\t]", first)}
    return bool(names.intersection(LENGTH_COLUMNS)) or ":" not in text


def _pairs(text: str) -> Iterator[_Row]:
    for number, pair in enumerate(re.split(r"[,;\n]", text), 1):
        if pair.strip():
            length, colon, count = pair.partition(":")
            if not colon:
                raise ValueError(f"pair {number} is {pair.strip()[:40]!r}; {_EXAMPLE}")
            yield f"pair {number}", length, count


def _csv_rows(text: str) -> Iterator[_Row]:
    lines = text.lstrip("\ufeff").splitlines()
    first = next((line for line in lines if line.strip()), "")
    delimiter = next((sign for sign in "\t;," if sign in first), ",")
    try:
        table = [(number, row) for number, row in enumerate(csv.reader(lines, delimiter=delimiter), 1) if any(row)]
    except csv.Error as error:
        raise ValueError(f"the text is not CSV: {error}") from None
    if not table:
        return
    names = [name.strip().lower() for name in table[0][1]]
    length_at, count_at = _place(names, LENGTH_COLUMNS), _place(names, COUNT_COLUMNS)
    if length_at is not None:
        table = table[1:]
    elif any(character.isalpha() for name in names for character in _without_unit(name)):
        raise ValueError(f"no column of {', '.join(names)[:80]!r} is a length; expected {', '.join(LENGTH_COLUMNS)}")
    else:
        length_at, count_at = 0, 1 if len(names) > 1 else None
    for number, row in table:
        needed = max(length_at, count_at or 0)
        if len(row) <= needed:
            raise ValueError(f"line {number} has {len(row)} columns, expected at least {needed + 1}")
        yield f"line {number}", row[length_at], "1" if count_at is None else row[count_at]


def _place(names: Sequence[str], known: Sequence[str]) -> int | None:
    return next((place for place, name in enumerate(names) if name in known), None)


def _without_unit(text: str) -> str:
    return re.sub(r"\d\s*(?:b|byte|bytes|[kmg]ib)$", "", text.strip())


def _length(place: str, text: str) -> int:
    if re.fullmatch(r"\s*\d+\s*-\s*\d+\s*", text):
        raise ValueError(f"{place} has the range of lengths {text.strip()!r}; expected one length, such as 1500")
    try:
        size = parse_size_bytes(text)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    if size > MAX_LENGTH_BYTES:
        raise ValueError(f"{place} has a length of {format_size(size)}, at most {format_size(MAX_LENGTH_BYTES)}")
    return size


def _count(place: str, text: str) -> float:
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        raise ValueError(f"{place} has the count {text.strip()[:40]!r}, expected a number of messages") from None
    if not math.isfinite(number) or not 0 <= number <= 1e15:
        raise ValueError(f"{place} has the count {text.strip()[:40]}, expected 0 to 1e15 messages")
    return number
