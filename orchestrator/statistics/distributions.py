"""Tail probabilities and quantiles of the distributions of the tests, without numpy and scipy.

scipy.special has them; it takes 9 MiB of the service for these functions. The tests compare the results with it.
"""

import math
from collections.abc import Iterator
from functools import cache
from statistics import NormalDist

_TINY = 1e-300
"""In place of 0 as a denominator of the continued fraction."""
_RELATIVE_ERROR = 1e-15
_MAX_TERMS = 100_000
"""Far above the need: the number of terms grows with the square root of the parameters."""


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b), with a relative error below 1e-7.

    a, b: above 0, up to 1e6; x: 0 to 1.
    Source: NIST Digital Library of Mathematical Functions, 8.17.22 (continued fraction) and 8.17.4 (symmetry);
    evaluated by the method of Lentz (Applied Optics 15, 1976).
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        # On this side of the mean the fraction converges slowly.
        return 1 - incomplete_beta(b, a, 1 - x)
    log_factor = beta_log_factor(a, b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_factor) / a * _continued_fraction(a, b, x)


def student_two_sided_p(t: float, degrees: float) -> float:
    """Return the probability of an absolute value of at least |t| in Student's t distribution."""
    if t * t < 1:
        # For a small t, the other side keeps the digits that degrees / (degrees + t²) loses next to 1.
        return 1 - incomplete_beta(0.5, degrees / 2, t * t / (degrees + t * t))
    return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


@cache
def student_quantile(probability: float, degrees: int) -> float:
    """Return the quantile of Student's t distribution; probability: 0.5 to 1, exclusive; degrees: 1 or more.

    Newton's method from the normal quantile, which is below: the distribution function is concave above 0, so each
    step stays below the quantile.
    """
    t = NormalDist().inv_cdf(probability)
    log_factor = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    while True:
        density = math.exp(log_factor - (degrees + 1) / 2 * math.log1p(t * t / degrees))
        step = (student_two_sided_p(t, degrees) / 2 - (1 - probability)) / density
        t += step
        if step <= 1e-12 * (1 + t):
            return t


def fisher_tail(f: float, of_numerator: int, of_denominator: int) -> float:
    """Return the probability of a value of at least f in Fisher's F distribution with these degrees of freedom."""
    total = of_denominator + of_numerator * f
    if of_numerator * f < of_denominator:
        # For a small f, the other side keeps the digits that 1 - x would lose.
        return 1 - incomplete_beta(of_numerator / 2, of_denominator / 2, of_numerator * f / total)
    return incomplete_beta(of_denominator / 2, of_numerator / 2, of_denominator / total)


def normal_two_sided_p(z: float) -> float:
    """Return the probability of an absolute value of at least |z| in the standard normal distribution."""
    return math.erfc(abs(z) / math.sqrt(2))


def fraction_coefficients(a: float, b: float) -> Iterator[float]:
    """Yield d(n) / x of the continued fraction 1 / (1 + d(1) / (1 + d(2) / …)) of I_x(a, b) (DLMF 8.17.22)."""
    for place in range(1, _MAX_TERMS):
        m = place // 2
        if place % 2:
            yield -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            yield m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m))


def beta_log_factor(a: float, b: float) -> float:
    """Return the logarithm of 1 / B(a, b)."""
    return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)


def _continued_fraction(a: float, b: float, x: float) -> float:
    value, above, below = 1.0, 1.0, 0.0
    for coefficient in fraction_coefficients(a, b):
        d = coefficient * x
        below = 1 / ((1 + d * below) or _TINY)
        above = (1 + d / above) or _TINY
        value *= above * below
        if abs(above * below - 1) < _RELATIVE_ERROR:
            break
    return 1 / value
