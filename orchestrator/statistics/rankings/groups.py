"""Groups of candidates that do not differ from each other, so that every pair can be read from the groups of two."""

from collections.abc import Iterator

import numpy as np

from orchestrator.shared.values.ranks import letters_of
from orchestrator.statistics.incomplete import Flags


def groups_of(alike: Flags) -> list[tuple[str, ...]]:
    """Return the letters of each candidate: two candidates have a letter in common exactly if they are alike.

    alike: symmetric, shape (n, n), candidates in the order of their places; the diagonal does not count. A candidate
    that differs from all others has no letter. "Alike" need not be transitive, so that a candidate may have several
    letters (compact letter display). Letters follow the order of the candidates that have them first.
    Source: Piepho, An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons, Journal of Computational
    and Graphical Statistics 13 (2004). His sets are split from one set of all, and may become exponentially many; here
    each group is grown around a pair that has no letter yet, so that there are never more groups than pairs.
    """
    found = sorted(_without_superfluous(list(_cover(alike)), len(alike)))
    letters: list[list[str]] = [[] for _ in range(len(alike))]
    for number, group in enumerate(found):
        for one in group:
            letters[one].append(letters_of(number))
    return [tuple(one) for one in letters]


def _cover(alike: Flags) -> Iterator[list[int]]:
    """Yield groups in which every two are alike, until every pair of alike candidates is in one of them."""
    linked = alike & ~np.eye(len(alike), dtype=bool)
    left = np.triu(linked)
    for first in range(len(linked)):
        while left[first].any():
            group, others = [first], linked[first].copy()
            others[:first] = False
            while others.any():
                uncovered = others & left[first]
                group.append(int(np.argmax(uncovered if uncovered.any() else others)))
                others &= linked[group[-1]]
            left[np.ix_(sorted(group), sorted(group))] = False
            yield sorted(group)


def _without_superfluous(groups: list[list[int]], count: int) -> list[list[int]]:
    """Return the groups without those of which every pair is in another one, too."""
    covered = np.zeros((count, count), dtype=np.intp)
    for group in groups:
        covered[np.ix_(group, group)] += 1
    kept = []
    for group in groups:
        pairs = covered[np.ix_(group, group)]
        if (pairs[np.triu_indices(len(group), 1)] > 1).all():
            covered[np.ix_(group, group)] -= 1
        else:
            kept.append(group)
    return kept
