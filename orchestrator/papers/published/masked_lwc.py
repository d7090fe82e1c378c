"""Weatherley's page of masking overheads: lightweight AEADs with 2 to 6 shares, on an Arduino Due."""

from collections.abc import Iterator

from orchestrator.papers.paper import Claim, DeviceKind, Drawing, Figure, Paper, Setting, Spot
from orchestrator.papers.quantities import Overhead, Ratio, RelativeSpeed
from orchestrator.papers.statements import NearPublished, SameOrder, faster

_SHARES = (2, 3, 4, 5, 6)
_OF_RANKING = 4
_MIN_TAU = 0.7
_GENERATORS = {"chacha20": "a ChaCha20 generator", "free": "a free generator"}

_PUBLISHED = {
    ("ascon-128", "init-final"): (3.93, 8.52, 14.40, 23.35, 34.03),
    ("ascon-128", "full"): (8.03, 18.36, 33.44, 52.34, 74.72),
    ("ascon-128a", "init-final"): (4.33, 9.83, 16.71, 27.21, 38.78),
    ("ascon-128a", "full"): (7.48, 17.47, 31.70, 48.52, 69.33),
    ("ascon-80pq", "init-final"): (3.87, 8.54, 14.44, 23.38, 33.44),
    ("ascon-80pq", "full"): (7.90, 18.39, 33.55, 51.45, 73.47),
    ("gift-cofb", "full"): (6.28, 19.27, 36.84, 62.16, 91.22),
    ("gimli-24", "init"): (2.69, 6.28, 11.93, 19.80, 29.33),
    ("gimli-24", "full"): (10.50, 31.41, 60.37, 106.37, 159.46),
    ("knot-aead-128-256", "init"): (2.01, 4.88, 8.09, 12.74, 19.36),
    ("knot-aead-128-256", "full"): (6.12, 17.99, 32.06, 52.46, 81.93),
    ("knot-aead-128-384", "init"): (2.92, 7.74, 14.01, 23.93, 35.57),
    ("knot-aead-128-384", "full"): (4.60, 13.91, 26.86, 43.77, 65.54),
    ("knot-aead-192-384", "init"): (2.13, 4.94, 8.62, 14.44, 21.22),
    ("knot-aead-192-384", "full"): (4.67, 14.19, 27.46, 44.74, 67.07),
    ("knot-aead-256-512", "init"): (2.32, 5.47, 9.77, 14.92, 23.67),
    ("knot-aead-256-512", "full"): (4.93, 13.98, 26.97, 43.61, 65.27),
    ("pyjamask-128-aead", "full"): (2.94, 3.05, 5.31, 5.74, 8.14),
    ("pyjamask-96-aead", "full"): (2.94, 3.06, 5.33, 5.73, 8.14),
    ("spix", "init-final"): (4.55, 12.17, 23.47, 38.60, 59.69),
    ("spix", "full"): (6.64, 19.44, 38.13, 62.76, 93.72),
    ("spoc-128", "full"): (6.65, 19.39, 38.57, 63.26, 95.21),
    ("spoc-64", "full"): (4.02, 11.06, 20.38, 35.05, 50.44),
    ("spook-128-384-mu", "init-final"): (1.71, 3.33, 5.50, 8.07, 11.47),
    ("spook-128-512-mu", "init-final"): (1.73, 3.35, 5.41, 8.15, 11.22),
    ("spook-128-384-su", "init-final"): (1.72, 3.34, 5.53, 8.09, 11.52),
    ("spook-128-512-su", "init-final"): (1.74, 3.36, 5.43, 8.17, 11.26),
    ("tinyjambu-128-v1", "full"): (3.16, 8.04, 14.59, 25.65, 43.13),
    ("tinyjambu-192-v1", "full"): (3.24, 8.25, 14.94, 26.24, 44.27),
    ("tinyjambu-256-v1", "full"): (3.25, 8.31, 15.08, 26.49, 44.86),
    ("xoodyak-round2", "init"): (1.94, 3.76, 6.39, 10.31, 14.51),
    ("xoodyak-round2", "full"): (5.89, 15.86, 28.53, 47.70, 69.57),
}
"""Algorithm and degree → overhead with 2, 3, 4, 5 and 6 shares."""


def _overhead(algorithm: str, degree: str, shares: int = _OF_RANKING, generator: str = "chacha20") -> Overhead:
    return Overhead(algorithm, degree, shares, generator)


def _cost_of_generator(algorithm: str, degree: str) -> Ratio:
    """Return the overhead with a ChaCha20 generator / that with a free generator."""
    label = f"cost of the generator of {algorithm} {degree}, {_OF_RANKING} shares"
    return Ratio(_overhead(algorithm, degree), _overhead(algorithm, degree, generator="free"), label)


def _rows(generator: str) -> tuple[tuple[Overhead, float], ...]:
    """Return each row of the ranking with its published overhead."""
    place = _SHARES.index(_OF_RANKING)
    return tuple((_overhead(*row, generator=generator), values[place]) for row, values in _PUBLISHED.items())


_BY_DESIGN = "protected by its mode: 1.00 by definition"
_RANKED = {
    ("drygascon128k32", ""): (1.00, 0.22), ("spook-128-512-su", "init-final"): (5.43, 0.90),
    ("xoodyak-round2", "init"): (6.39, 0.86), ("ascon-128", "init-final"): (14.40, 1.11),
    ("gimli-24", "init"): (11.93, 0.91), ("tinyjambu-128-v1", "full"): (14.59, 0.81),
    ("knot-aead-128-256", "init"): (8.09, 0.38), ("ascon-128", "full"): (33.44, 1.11),
    ("xoodyak-round2", "full"): (28.53, 0.86), ("gift-cofb", "full"): (36.84, 1.05), ("isap-k-128a", ""): (1.00, 0.02),
    ("spix", "init-final"): (23.47, 0.40), ("spoc-64", "full"): (20.38, 0.31), ("gimli-24", "full"): (60.37, 0.91),
    ("pyjamask-128-aead", "full"): (5.31, 0.07), ("knot-aead-128-256", "full"): (32.06, 0.38),
    ("spix", "full"): (38.13, 0.40),
}  # fmt: skip
"""Rows of the last table in its order → overhead with 4 shares, speed relative to ChaChaPoly."""
_QUOTIENTS = (4.55, 6.03, 7.43, 12.97, 13.11, 18.01, 21.29, 30.13, 33.17, 35.09, 50.00, 58.68, 65.74, 66.34, 75.86,
              84.37, 95.33)  # fmt: skip
"""Last column of that table."""


def _row(algorithm: str, degree: str) -> str:
    return f"{algorithm} {degree}".strip()


def _overheads() -> Iterator[Spot]:
    for row, values in _PUBLISHED.items():
        for shares, value in zip(_SHARES, values, strict=True):
            yield Spot(_row(*row), f"{shares} shares", value, _overhead(*row, shares))


def _ranking() -> Iterator[Spot]:
    """Yield the primary algorithms by overhead with each generator, in the published order."""
    for row, (value, _) in sorted(_RANKED.items(), key=lambda item: item[1][0]):
        for generator, words in _GENERATORS.items():
            quantity = _overhead(*row, generator=generator) if row[1] else None
            yield Spot(_row(*row), f"4 shares, {words}", value, quantity, reason=_BY_DESIGN)


def _by_speed() -> Iterator[Spot]:
    for (row, (value, speed)), quotient in zip(_RANKED.items(), _QUOTIENTS, strict=True):
        own = RelativeSpeed(row[0])
        overhead = _overhead(*row) if row[1] else None
        below = Ratio(overhead, own, f"overhead / speed of {_row(*row)}") if overhead else None
        yield Spot(_row(*row), "4 shares", value, overhead, reason=_BY_DESIGN)
        yield Spot(_row(*row), "ChaChaPoly", speed, own)
        yield Spot(_row(*row), "4 shares / ChaChaPoly", quotient, below, reason=_BY_DESIGN)


_DRAWINGS = (
    Drawing("overheads", "Overhead of masking", "table", "algorithm and degree of masking", "masked / unmasked",
            "times", tuple(_overheads()), remark="Measured with a ChaCha20 generator."),
    Drawing("ranking", "Primary algorithms by overhead with 4 shares", "table", "algorithm and degree of masking",
            "masked / unmasked", "times", tuple(_ranking()),
            remark="The page has one generator, that of the Arduino Due: the same values are next to both of ours."),
    Drawing("ranking-by-speed", "Primary algorithms by overhead / speed relative to ChaChaPoly", "table",
            "algorithm and degree of masking", "quotient", "times", tuple(_by_speed()),
            remark="Measured with a ChaCha20 generator. DryGASCON128 is taken as drygascon128k32."),
)  # fmt: skip


PAPER = Paper(
    name="masked-lwc",
    title="Overhead of masking of lightweight authenticated ciphers",
    authors="R. Weatherley",
    year=None,
    summary="(e128 + d128 + 3·e16 + 3·d16) masked / unmasked, with 2 to 6 shares: 32 rows of cipher and "
    "degree of masking, ranked by the overhead with 4 shares.",
    # One masked variant instead of the fastest of several: half of the executions.
    quick={
        "repetitions": 6,
        "variants": ["masked64"],
        "masking": {"shares": [4]},
        "messages": {"timings": 2, "min_timing_ms": 1},
    },
    claims=(
        *(
            Claim(f"order-{generator}", f"The ranking by the overhead with 4 shares, with {words}",
                  SameOrder(_rows(generator), _MIN_TAU))
            for generator, words in _GENERATORS.items()
        ),
        Claim("overheads", "The overheads with 4 shares are the published ones, with a ChaCha20 generator",
              NearPublished(_rows("chacha20"), within=0.25)),
        Claim("degrees", "Masking the initialization alone costs less than masking everything",
              faster((_overhead(algorithm, degree), _overhead(algorithm, "full"))
                     for algorithm, degree in _PUBLISHED
                     if degree != "full" and (algorithm, "full") in _PUBLISHED)),
        Claim("shares", "Each further share costs more",
              faster((_overhead(*row, shares), _overhead(*row, shares + 1))
                     for row in _PUBLISHED for shares in _SHARES[:-1])),
    ),
    figures=tuple(
        Figure(f"{algorithm} {degree}, {shares} shares", value, "times", "tables of overheads",
               _overhead(algorithm, degree, shares))
        for (algorithm, degree), values in _PUBLISHED.items()
        for shares, value in zip(_SHARES, values, strict=True)
    ),
    drawings=_DRAWINGS,
    setting=Setting(
        devices=(DeviceKind("Arduino Due, Arm Cortex-M3 at 84 MHz", ("armv7m",), ("arduino due",)),),
        lengths=(16, 128),
        code="our own code instead of the measured one",
    ),
    differences=(
        "the processor has 64-bit registers and several operations per cycle",
        "the random generator is a factor of each case: ChaCha20, and one that costs nothing",
        "a row is the fastest measured masked variant over the fastest unmasked one, vector code included; the quick "
        "scale measures masked64 alone, so that a verdict which vector code decides can differ from the full one",
    ),
    findings=(
        Claim("generator", "The random generator decides the overhead: with a ChaCha20 generator it is at least twice "
              "that with a free one, for ASCON-128 Init/Final with 4 shares",
              faster([(_overhead("ascon-128", "init-final", generator="free"), _overhead("ascon-128", "init-final"))],
                     by=1.0)),
        Claim("generator-uneven", "The cost of the generator is not the same factor for every row, so that the order "
              "depends on it: ASCON-128 Full loses at least 1.25 times as much by it as Spook-128-512 su Init/Final",
              faster([(_cost_of_generator("spook-128-512-su", "init-final"), _cost_of_generator("ascon-128", "full"))],
                     by=0.25)),
    ),
)  # fmt: skip
