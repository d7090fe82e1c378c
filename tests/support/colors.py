"""Differences of colors under normal vision and simulated deficiencies.

CIEDE2000: Sharma, Wu, Dalal, "The CIEDE2000 color-difference formula", 2005. Deficiencies: Machado, Oliveira,
Fernandes, "A physiologically-based model for simulation of color vision deficiency", 2009, severity 1.0.
"""

import math
from collections.abc import Sequence

Three = tuple[float, float, float]
Matrix = tuple[Three, Three, Three]

VISIONS: dict[str, Matrix] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE = (0.95047, 1.0, 1.08883)


def linear(color: str) -> Three:
    """Return the linear red, green and blue of ``#rrggbb``, 0 to 1."""
    shares = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares)
    return red, green, blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors (WCAG 2.2)."""
    dark, light = sorted(_product(_XYZ, linear(color))[1] for color in (first, second))
    return (light + 0.05) / (dark + 0.05)


def lab(color: str, vision: str = "normal") -> Three:
    """Return the coordinates of a color in CIELAB as this vision sees it."""
    seen = [min(1.0, max(0.0, one)) for one in _product(VISIONS[vision], linear(color))]
    x, y, z = (_root(one / white) for one, white in zip(_product(_XYZ, seen), _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(first: Three, second: Three) -> float:
    """Return the difference of two colors in CIELAB, CIEDE2000."""
    mean_chroma = (math.hypot(*first[1:]) + math.hypot(*second[1:])) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    (l1, c1, h1), (l2, c2, h2) = (_polar(one, stretch) for one in (first, second))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    chroma = (c1 + c2) / 2
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    light = ((l1 + l2) / 2 - 50) ** 2
    hues = (
        1 - 0.17 * _cos(hue - 30) + 0.24 * _cos(2 * hue) + 0.32 * _cos(3 * hue + 6) - 0.20 * _cos(4 * hue - 63)
    )  # fmt: skip
    of_light = (l2 - l1) / (1 + 0.015 * light / math.sqrt(20 + light))
    of_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    of_hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * hues)
    rotation = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation *= math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    return math.sqrt(of_light**2 + of_chroma**2 + of_hue**2 + rotation * of_chroma * of_hue)


def smallest_difference(first: str, second: str) -> float:
    """Return the difference of two colors under the vision that separates them worst."""
    return min(difference(lab(first, vision), lab(second, vision)) for vision in VISIONS)


def _product(matrix: Matrix, vector: Sequence[float]) -> Three:
    x, y, z = (sum(one * other for one, other in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def _root(share: float) -> float:
    return math.cbrt(share) if share > 0.008856 else 7.787 * share + 16 / 116


def _polar(color: Three, stretch: float) -> Three:
    light, a, b = color
    return light, math.hypot(a * stretch, b), math.degrees(math.atan2(b, a * stretch)) % 360


def _cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))
