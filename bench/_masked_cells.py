"""Cells of masked ciphers: the published figures, and what a run of `masked.py` makes of its readings. Pure.

A row is an algorithm and a degree of masking, a cell a row with a number of shares. A cell is below when one masked
variant takes less time than published to encrypt 16 bytes, and to encrypt 128 bytes.
"""

import csv
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PUBLISHED = Path(__file__).with_name("masked_published.tsv")
GENERATORS = ("chacha20", "free")
KEY_SETUPS = ("included", "apart")
SHARES = (2, 3, 4, 5, 6)
LENGTHS_BYTES = (16, 128)
OPERATIONS = ("encrypt", "decrypt")
UNMASKED = "-"
WEIGHTS = {16: 3, 128: 1}
"""Of the times by message length in the quotient of the paper, for both directions."""

Key = tuple[str, str, str, str, str, str]
Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A timed case; degree, shares and generator as of `latency`, or "-", 1 and "-" where nothing is masked."""

    algorithm: str
    variant: str
    degree: str
    shares: int
    generator: str
    key_setup: str
    operation: str
    message_bytes: int

    def arguments(self) -> list[str]:
        """Return the arguments of `latency`."""
        words = ["--algorithm", self.algorithm, "--operation", self.operation, "--length", str(self.message_bytes)]
        words += ["--key-setup", self.key_setup]
        if self.degree == UNMASKED:
            return words
        masking = ["--shares", str(self.shares), "--masking", self.degree, "--generator", self.generator]
        return [*words, "--variant", self.variant, *masking]


@dataclass(slots=True)
class Reading:
    """Readings of a case, each list by block: the fastest timing, and the time of drawing its random bytes alone."""

    call_cpu_ns: list[float]
    random_wall_ns: list[float]
    random_bytes: int

    @property
    def ns(self) -> float:
        """The shortest CPU time of a call: other processes only ever lengthen it."""
        return min(self.call_cpu_ns)


@dataclass(frozen=True, slots=True)
class Cell:
    """Result for a row, a number of shares, a generator and a kind of key setup."""

    row: Row
    shares: int
    generator: str
    key_setup: str
    variant: str
    ns: dict[tuple[str, int], float]
    """By operation and bytes."""
    random_bytes: dict[int, int]
    """Of an encryption, by its bytes."""
    random_ns: dict[int, float]
    overhead: float
    factors: dict[int, float]
    """Our time over the published one to encrypt so many bytes."""
    scaled: dict[int, float]
    """The same with both divided by the time of the unmasked cipher, there and here."""

    @property
    def below(self) -> bool:
        """Return whether both lengths take less time than published."""
        return all(factor < 1 for factor in self.factors.values())

    def reason(self) -> str:
        """Return the parts of the time of a cell that is not below."""
        parts = []
        for length, factor in self.factors.items():
            ns, drawn = self.ns["encrypt", length], self.random_ns[length]
            parts.append(
                f"{length} B {ns:.0f} ns = {factor:.2f} of {ns / factor:.0f} (generator {drawn:.0f}, "
                f"{factor / self.scaled[length]:.2f} of the unmasked time there)"
            )
        return "; ".join(parts)


def published(path: Path = PUBLISHED) -> dict[Key, float]:
    """Return the published figures by (figure, algorithm, degree, generator, bytes, shares)."""
    with path.open() as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        names = ("figure", "algorithm", "degree", "generator", "bytes", "shares")
        return {tuple(row[name] for name in names): float(row["value"]) for row in rows}  # type: ignore[misc]


def published_rows(known: Iterable[Key]) -> list[Row]:
    """Return the rows that have published times."""
    return sorted({(key[1], key[2]) for key in known if key[0] == "ns"})


def random_limit(known: Mapping[Key, float], row: Row, message_bytes: int, shares: int) -> float | None:
    """Return the random bytes that the public code draws for a packet; None if they are not known.

    Each multiplication takes a word for each pair of shares, each sharing one for each share but one. What is published
    for 2 and 4 shares gives both numbers, and thereby the bytes for 3 and 5.
    """
    kind = "full" if row[1] == "full" else "key-only"

    def of(count: int) -> float | None:
        return known.get(("random_bytes", row[0], kind, "-", str(message_bytes), str(count)))

    exact = of(shares)
    two, four = of(2), of(4)
    if exact is not None or two is None or four is None:
        return exact
    products = (four - 3 * two) / 3
    return products * shares * (shares - 1) / 2 + (two - products) * (shares - 1)


def all_cases(
    listed: Mapping[str, Any],
    rows: Sequence[Row],
    shares: Sequence[int],
    key_setups: Sequence[str],
    operations: Sequence[str] = OPERATIONS,
) -> list[Case]:
    """Return every case of these rows; listed: what `list` of the runner prints."""
    calls = [(setup, op, length) for setup in key_setups for op in operations for length in LENGTHS_BYTES]
    made = [
        Case(algorithm, "", UNMASKED, 1, UNMASKED, *call)
        for algorithm in sorted({algorithm for algorithm, _ in rows})
        for call in calls
    ]
    for found in listed["implementations"]:
        if not found["masking"] or not found["available"]:
            continue
        for degree in found["masking"]["degrees"]:
            if (found["algorithm"], degree) in rows:
                made += [
                    Case(found["algorithm"], found["variant"], degree, count, generator, *call)
                    for count in shares
                    for generator in GENERATORS
                    for call in calls
                ]
    return made


def cells(readings: Mapping[Case, Reading], known: Mapping[Key, float]) -> list[Cell]:
    """Return a cell for each row, number of shares, generator and kind of key setup, with its fastest variant."""
    unmasked: dict[tuple[str, str], dict[tuple[str, int], float]] = defaultdict(dict)
    forms: dict[tuple[Row, int, str, str], dict[str, dict[tuple[str, int], Reading]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for case, reading in readings.items():
        place = (case.operation, case.message_bytes)
        if case.degree == UNMASKED:
            unmasked[case.algorithm, case.key_setup][place] = reading.ns
        else:
            form = ((case.algorithm, case.degree), case.shares, case.generator, case.key_setup)
            forms[form][case.variant][place] = reading
    return [_cell(form, variants, unmasked[form[0][0], form[3]], known) for form, variants in sorted(forms.items())]


def _cell(
    form: tuple[Row, int, str, str],
    variants: Mapping[str, Mapping[tuple[str, int], Reading]],
    unmasked: Mapping[tuple[str, int], float],
    known: Mapping[Key, float],
) -> Cell:
    row, shares, generator, key_setup = form
    times = {variant: {place: reading.ns for place, reading in found.items()} for variant, found in variants.items()}
    theirs = {n: known["ns", *row, generator, str(n), str(shares)] for n in LENGTHS_BYTES}
    theirs_unmasked = {n: known["ns", *row, "-", str(n), "1"] for n in LENGTHS_BYTES}
    # One variant for both lengths: the one whose worse factor is best.
    variant = min(times, key=lambda name: max(times[name]["encrypt", n] / theirs[n] for n in LENGTHS_BYTES))
    ns, found = times[variant], variants[variant]
    factors = {n: ns["encrypt", n] / theirs[n] for n in LENGTHS_BYTES}
    return Cell(
        row=row,
        shares=shares,
        generator=generator,
        key_setup=key_setup,
        variant=variant,
        ns=ns,
        random_bytes={n: found["encrypt", n].random_bytes for n in LENGTHS_BYTES},
        random_ns={n: min(found["encrypt", n].random_wall_ns) for n in LENGTHS_BYTES},
        overhead=min(_weighted(of_variant) for of_variant in times.values()) / _weighted(unmasked),
        factors=factors,
        scaled={n: factors[n] * theirs_unmasked[n] / unmasked["encrypt", n] for n in LENGTHS_BYTES},
    )


def _weighted(times: Mapping[tuple[str, int], float]) -> float:
    """Return the time of the paper's quotient: e128 + d128 + 3 e16 + 3 d16."""
    return sum(WEIGHTS[message_bytes] * ns for (_, message_bytes), ns in times.items())


def more_random(found: Iterable[Cell], known: Mapping[Key, float]) -> list[str]:
    """Return the cells that draw more random bytes than the public code for a packet."""
    lines = []
    for cell in found:
        for length, drawn in cell.random_bytes.items():
            limit = random_limit(known, cell.row, length, cell.shares)
            if limit is not None and drawn > limit:
                lines.append(f"{' '.join(cell.row)} {cell.shares} shares {length} B: {drawn} > {limit:.0f}")
    return sorted(set(lines))


def spread(readings: Iterable[Reading]) -> float:
    """Return the median over cases of a block's time over the shortest: above 1.1, the machine was not quiet."""
    return statistics.median(statistics.median(reading.call_cpu_ns) / reading.ns for reading in readings)


def as_rows(readings: Mapping[Case, Reading]) -> list[dict[str, Any]]:
    """Return readings as a file has them."""
    return [asdict(case) | asdict(reading) for case, reading in readings.items()]


def of_rows(rows: Iterable[Mapping[str, Any]]) -> dict[Case, Reading]:
    """Return the readings of a file."""
    return {
        Case(**{name: row[name] for name in Case.__slots__}): Reading(**{name: row[name] for name in Reading.__slots__})
        for row in rows
    }
