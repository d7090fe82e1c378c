"""Wrong verdicts on the claims of simulated papers, and how many of the predicted repetitions suffice.

A simulated paper has nine claims: of each kind (faster, no difference, order of rows) one that is true, one that is
false and one exactly on its limit, where every decision counts as wrong. Log-normal noise of 2 %, 3 % of executions 3
to 10 times as long, a drift of 5 % over the run. A paper counts as wrong once per kind if any of its verdicts is wrong.

Usage: .venv/bin/python bench/claim_errors.py [--papers 1000] [--predictions 200]
"""

import math
import sys
from collections import Counter

import numpy as np

from bench._options import options
from bench._rates import report
from orchestrator.statistics.claims.verdict import judge
from tests.support.simulated_claims import KINDS, LIMIT, MARGIN, parts, simulated_paper

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
        report(f"papers with a wrong verdict: {blocks} blocks, {truth}", wrong[truth], papers)
        print(f"    claims decided: {decided[truth] / (3 * papers):.1%}", flush=True)
        met &= wrong[truth] / papers <= WRONG_LIMIT
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
    report("inconclusive claims decided by the predicted repetitions", decided, tried)
    return decided / tried >= DECIDED_LIMIT


def main() -> int:
    """Simulate and print; 1 when a limit is missed."""
    given = options(__doc__, papers=1000, predictions=200)
    met = [wrong_verdicts(given.papers, blocks) for blocks in (6, 10, 20, 40)]
    return 0 if all([*met, predictions(given.predictions)]) else 1


if __name__ == "__main__":
    sys.exit(main())
