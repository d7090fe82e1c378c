"""Wrong verdicts on the claims of simulated papers, and how many of the predicted repetitions suffice.

A simulated paper has nine claims: of each kind (faster, no difference, order of rows) one that is true, one that is
false and one exactly on its limit, where every decision counts as wrong. Log-normal noise of 2 %, 3 % of executions 3
to 10 times as long, a drift of 5 % over the run. A paper counts as wrong once per kind if any of its verdicts is wrong.

Usage: .venv/bin/python bench/claim_errors.py [--papers 1000] [--predictions 200]
"""

import argparse
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.statistics.claims.verdict import judge  # noqa: E402
from tests.support.simulated_claims import KINDS, LIMIT, MARGIN, parts, simulated_paper  # noqa: E402

WRONG_LIMIT = 0.05
DECIDED_LIMIT = 0.8
MAX_PREDICTED = 400
WRONG = {"true": {"refuted"}, "false": {"holds"}, "borderline": {"holds", "refuted"}}


def wrong_verdicts(papers: int, blocks: int) -> bool:
    """Judge simulated papers; return whether at most 5 % have a wrong verdict, for each kind of truth."""
    generator = np.random.default_rng(20261122)
    wrong, decided = Counter[str](), Counter[str]()
    for _ in range(papers):
        verdicts = judge(simulated_paper(generator, blocks))
        for truth in KINDS:
            of_truth = {name: one.decision for name, one in verdicts.items() if name.startswith(truth)}
            wrong[truth] += any(decision in WRONG[truth] for decision in of_truth.values())
            decided[truth] += sum(decision != "inconclusive" for decision in of_truth.values())
    met = True
    for truth in KINDS:
        limits = binomtest(wrong[truth], papers).proportion_ci(0.95)
        print(f"{blocks:>3} blocks, {truth:<10} papers with a wrong verdict {wrong[truth]:>4} of {papers} "
              f"(95 % {limits.low:.2%} to {limits.high:.2%}), claims decided {decided[truth] / (3 * papers):.1%}",
              flush=True)  # fmt: skip
        met &= limits.low <= WRONG_LIMIT and wrong[truth] / papers <= WRONG_LIMIT
    return met


def predictions(count: int) -> bool:
    """Repeat inconclusive claims with the predicted repetitions; return whether enough of them are decided."""
    generator = np.random.default_rng(20261123)
    tried = decided = 0
    while tried < count:
        distance = float(generator.uniform(0.005, 0.03))
        for low, high in ((LIMIT, math.inf), (-MARGIN, MARGIN)):
            place = low + distance
            first = judge({"one": parts(generator, 8, [place] * 4, low, high)})["one"]
            if first.repetitions is None or not 8 < first.repetitions <= MAX_PREDICTED:
                continue
            again = judge({"one": parts(generator, first.repetitions, [place] * 4, low, high)})["one"]
            tried, decided = tried + 1, decided + (again.decision != "inconclusive")
    print(f"inconclusive claims decided by the predicted repetitions: {decided} of {tried} ({decided / tried:.1%})")
    return decided / tried >= DECIDED_LIMIT


def main() -> int:
    """Simulate and print; 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=1000)
    parser.add_argument("--predictions", type=int, default=200)
    options = parser.parse_args()
    met = [wrong_verdicts(options.papers, blocks) for blocks in (6, 10, 20, 40)]
    return 0 if all([*met, predictions(options.predictions)]) else 1


if __name__ == "__main__":
    sys.exit(main())
