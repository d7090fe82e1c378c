"""Holm's correction of p-values for multiple comparisons. Works without numpy."""

from collections.abc import Sequence


def holm(p_values: Sequence[float], family: int | None = None) -> list[float]:
    """Return the p-values adjusted for their number, in the given order; each at most 1.

    p_values: of one family, 0 to 1, shape (m,), dependent in any way. If comparisons with an adjusted p of at most 0.05
    are called different, at most 5 % of families have an error. The i-th smallest of m values is multiplied by
    m - i + 1 and made no smaller than the previous one. family: number of comparisons out of which these were chosen
    after a look at the data, at least m, m by default; the others count as if their p-values were larger, which makes
    no adjusted value too small.
    Raises ValueError for a value outside 0 to 1, and for a family smaller than m.
    Source: Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    if any(not 0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values must be between 0 and 1, got {[p for p in p_values if not 0 <= p <= 1][:3]}")
    family = len(p_values) if family is None else family
    if family < len(p_values):
        raise ValueError(f"a family of {family} comparisons cannot contain {len(p_values)}")
    adjusted, largest = [0.0] * len(p_values), 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (family - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted
