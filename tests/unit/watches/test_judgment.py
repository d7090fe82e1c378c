"""Suspects, confirmations and levels of a look."""

import numpy as np

from orchestrator.watches.judgment import References, by_level, decide, judge_first, remaining

FORMER = 20
SLOWER = 0.05


def former(cases: int = 4) -> np.ndarray:
    return np.random.default_rng(1).normal(10, 0.003, (FORMER, cases))


def test_suspect_that_stays_is_reported_with_the_direction_of_its_measure() -> None:
    references = References([7, 8, 9, 10], former())
    new = np.full((8, 4), 10.0)
    new[:, 2] += SLOWER
    first = judge_first(new[0], references)
    assert (first.cases, first.compared, first.suspects, first.undecided) == (4, 4, [9], [])
    assert remaining(new[:3], references, first.suspects) == [9]
    for rises, worse in ((False, True), (True, False)):
        (change,) = decide(new, references, [9], 4, rises=rises)
        assert (change.case_id, change.worse, change.new_runs, change.former_runs) == (9, worse, 8, FORMER)
        assert 1 < change.low < change.ratio < change.high


def test_two_new_values_report_nothing() -> None:
    references = References([7, 8, 9, 10], former())
    new = np.full((8, 4), np.nan)
    new[:2] = 11.0
    assert decide(new, references, [7, 8, 9, 10], 4, rises=False) == []


def test_reported_change_is_no_suspect_while_it_lasts() -> None:
    new = np.full(4, 10.0)
    new[1] += SLOWER
    references = References([7, 8, 9, 10], former(), reported={8: (1.03, 1.07), 9: (1.03, 1.07)})
    first = judge_first(new, references)
    assert (first.suspects, first.recovered) == ([], [9])
    new[1] += 2 * SLOWER
    assert judge_first(new, references).suspects == [8]


def test_levels_separate_the_runs_of_a_case() -> None:
    table = np.arange(12.0).reshape(6, 2)
    current, before = by_level(table, [1, 2, 3, 4, 5, 6], [[3], []])
    assert np.array_equal(current[:, 0], [np.nan, np.nan, np.nan, 6, 8, 10], equal_nan=True)
    assert np.array_equal(before[:, 0], [0, 2, np.nan, np.nan, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(current[:, 1], table[:, 1])
    assert np.isnan(before[:, 1]).all()


def test_no_former_run_is_undecided() -> None:
    references = References([7, 8], by_level(np.empty((0, 2)), [], [[], []])[0])
    first = judge_first(np.zeros(2), references)
    assert (first.cases, first.compared, first.suspects, first.undecided, first.detectable) == (2, 0, [], [7, 8], None)
    assert references.known == 0
