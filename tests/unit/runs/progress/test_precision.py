"""The sentence on the precision of a run."""

import pytest

from orchestrator.runs.progress.precision import precision_sentence
from orchestrator.wire.plans import Precision

ASKED = Precision(relative_interval=0.01, max_repetitions=40, seconds_per_case=90.0)


@pytest.mark.parametrize(
    ("counts", "widest", "sentence"),
    [
        ({}, None, "Intervals of ± 1 % are required; the cases are not laid out yet."),
        ({"open": 8}, None, "0 of 8 cases are precise to ± 1 %; 8 may get more repetitions."),
        ({"reached": 1}, None, "1 of 1 case is precise to ± 1 %."),
        (
            {"reached": 1, "maximum": 2, "budget": 3, "failing": 4, "lost": 5},
            0.1234,
            "1 of 15 cases is precise to ± 1 %; 2 stopped at 40 repetitions; 3 stopped after 90 s; 4 never succeeded; "
            "5 stopped with a lost job; the widest interval of those that stopped early is ± 12.3 %.",
        ),
    ],
)
def test_sentence_counts_reached_and_stopped_cases(counts: dict[str, int], widest: float | None, sentence: str) -> None:
    assert precision_sentence(ASKED, counts, widest) == sentence
