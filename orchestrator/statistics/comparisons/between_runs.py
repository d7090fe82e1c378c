"""Changes between runs of one plan, with the variation from run to run as their error.

The readings of a run share its heat, memory layout and boot. A comparison by the readings of two runs therefore calls
days different on which nothing changed. Here each run counts as one value per case, its trimmed mean of logarithms
(run_values), and the dispersion of former runs is the measure of chance.

**One look.** A new run is compared with m former ones by Student's t with m - 1 degrees of freedom. Cases that deviate
by `SUSPICION` are suspects, and are measured again by up to `CONFIRMATIONS` further runs, as long as the new runs
together deviate so much. Only all of them decide, without the lowest and the highest: a run in which the case was
disturbed too often is no change.

**All cases and all looks.** A look may make an error with the probability FALSE_ALARMS / LOOKS, divided by the number
of its cases (Bonferroni; the bound holds for cases and looks that depend on each other in any way). That is the linear
spending function over `LOOKS` looks, then renewed: a finite budget would be spent by a watch that has no end.
Suspicion costs no part of the budget, because confirming fewer cases only lowers the number of errors.

**Days.** Confirmations of one day share what makes that day different. Their mean counts as if a share `SAME_DAY` of
the variance between runs were common to all of them.

Sources: Student's t for one new observation (a prediction interval): Hahn and Meeker, Statistical Intervals (1991),
section 4.8. Runs as units: Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013. Spending: Lan and
DeMets, Discrete Sequential Boundaries for Clinical Trials, Biometrika 70 (1983).

Yuen's comparison (two_sample.py) over the values of runs was rejected: six new runs leave it 3 degrees of freedom,
which find nothing among 500 cases. Rejected as well: one variance for all cases, which finds more within the first
week and gives false alarms for the few cases that vary more than the others.

bench/watch_errors.py simulates 90 days of 500 cases; docs/watches.md has its figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orchestrator.statistics.comparisons.two_sample import trimmed_log_means
from orchestrator.statistics.distributions import student_quantile
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import CONFIDENCE

FALSE_ALARMS = 1 - CONFIDENCE
"""Probability of at least one false alarm among all cases, over `LOOKS` looks."""
LOOKS = 90
"""Looks among which `FALSE_ALARMS` is divided: three months of one run a day."""
RUN_TRIMMED_SHARE = 0.3
"""Share of a run's readings that is cut off at each end. With 3 % disturbed executions, more than a fifth of 20 are
disturbed in one of 3 000 runs of a case, which is 15 false suspects in 90 days of 500 cases; more than 0.3 in one of a
million."""
SUSPICION = 0.05
"""p-value of the new runs, for one case alone, at which it is measured again: 25 of 500 unchanged cases."""
CONFIRMATIONS = 7
"""Maximum number of further runs of the suspects."""
WINDOW = 60
"""Former runs that a new one is compared with: 30 find 3 % among 500 cases only with little noise."""
SAME_DAY = 0.2
"""Assumed share of the variance between runs that the runs of one day have in common."""
MIN_NEW = 3
"""New runs of a case without which no change of it is reported: one of fewer may be disturbed."""
MIN_FORMER = 5
"""Former runs before which no change is reported, because their dispersion is hardly known."""
MIN_VARIATION = 0.0005
"""Smallest assumed standard deviation between runs, relative: readings in whole pages or cycles may not vary at all."""


@dataclass(frozen=True)
class RunDifferences:
    """New runs / former runs, for each case; all of shape (cases,)."""

    log_ratios: Floats
    """Logarithms of the ratios; NaN if the case lacks a value on one of the sides."""
    errors: Floats
    """Standard errors of the logarithms; NaN without a variation."""
    freedoms: NDArray[np.int64]
    """Degrees of freedom of the errors; 0 below `MIN_FORMER` former runs."""

    def limits(self, level: float) -> tuple[Floats, Floats]:
        """Return the limits of the intervals that miss the truth with this probability; NaN without an error."""
        half = self._quantiles(1 - level / 2) * self.errors
        return self.log_ratios - half, self.log_ratios + half

    def differ(self, level: float) -> NDArray[np.bool_]:
        """Return which intervals of this level exclude 0, which is a ratio of 1."""
        low, high = self.limits(level)
        differ: NDArray[np.bool_] = (low > 0) | (high < 0)
        return differ

    def detectable(self, level: float, power: float = 0.95) -> Floats:
        """Return the log-ratios that a comparison with these errors finds with this probability."""
        return (self._quantiles(1 - level / 2) + self._quantiles(power)) * self.errors

    def _quantiles(self, probability: float) -> Floats:
        return np.array(
            [student_quantile(probability, int(one)) if one else math.nan for one in self.freedoms], dtype=np.float64
        )


def error_level(cases: int) -> float:
    """Return the probability of an error that one case may have in one look, so that all keep to `FALSE_ALARMS`."""
    return FALSE_ALARMS / (max(1, cases) * LOOKS)


def compare_runs(new: Floats, reference: Floats, others: Sequence[Floats] = ()) -> RunDifferences:
    """Return the differences of new runs from former ones.

    new: values of new runs of one day, shape (k, cases), of run_values; NaN for a missing one. reference: the same of
    the former runs that they are compared with, shape (m, cases). others: further groups of former runs, which only
    show the variation, each around its own mean, like the reference.
    """
    groups = [reference, *others]
    counts = [np.isfinite(group).sum(axis=0) for group in groups]
    squares = sum(_squares(group) for group in groups)
    freedoms = sum((np.maximum(count - 1, 0) for count in counts), start=np.zeros(new.shape[1], dtype=np.int64))
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(squares / freedoms, MIN_VARIATION**2)
        new_count = np.isfinite(new).sum(axis=0)
        share = SAME_DAY + (1 - SAME_DAY) * _center_variance(new_count)
        errors = np.sqrt(variance * (share + 1 / counts[0]))
        log_ratios = _centers(new) - _means(groups[0])
    enough = (freedoms >= MIN_FORMER - 1) & np.isfinite(log_ratios)
    return RunDifferences(
        log_ratios=np.where((new_count > 0) & (counts[0] > 0), log_ratios, np.nan),
        errors=np.where(enough, errors, np.nan),
        freedoms=np.where(enough, freedoms, 0),
    )


def run_values(readings: Floats) -> Floats:
    """Return the values of cases in one run, logarithms, shape (…,).

    readings: any unit, positive and finite, shape (…, n), n >= 1.
    """
    return trimmed_log_means(readings, RUN_TRIMMED_SHARE)


def suspects(found: RunDifferences) -> NDArray[np.bool_]:
    """Return which cases need a further run."""
    return found.differ(SUSPICION)


def _centers(values: Floats) -> Floats:
    """Return the means of each case's values, of 3 or more without the lowest and the highest."""
    counted = np.isfinite(values)
    lowest = np.where(counted, values, np.inf).min(axis=0)
    highest = np.where(counted, values, -np.inf).max(axis=0)
    counts = counted.sum(axis=0)
    sums = np.where(counted, values, 0.0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        centers: Floats = np.where(counts < 3, sums / counts, (sums - lowest - highest) / (counts - 2))
    return centers


def _center_variance(counts: NDArray[np.int64]) -> Floats:
    """Return the variance of centers of independent normal values of variance 1.

    From 3 values on, an upper limit: by 400 000 simulated samples each, n times the variance is 1.35, 1.19, 1.14, 1.11
    and 1.08 for 3, 4, 5, 6 and 8 values.
    """
    variances: Floats = np.where(counts < 3, 1.0, 1 + 1.05 / counts) / counts
    return variances


def _means(values: Floats) -> Floats:
    counted = np.isfinite(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Floats = np.where(counted, values, 0.0).sum(axis=0) / counted.sum(axis=0)
    return means


def _squares(values: Floats) -> Floats:
    """Return the sums of squared deviations of each case from its mean."""
    deviations = np.where(np.isfinite(values), values - _means(values), 0.0)
    squares: Floats = (deviations**2).sum(axis=0)
    return squares
