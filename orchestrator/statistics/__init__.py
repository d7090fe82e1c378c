"""Statistics of readings, as pure functions that know no database.

median.py       median, median absolute deviation, and an interval that assumes no distribution
outliers.py     marks of readings far from the others of their case
location.py     location of block values, with its interval and a test against 0
winsorize.py    values of several inputs per block, without the influence of single disturbed readings
paired.py       comparison of two candidates within the same blocks and inputs, with the size of the effect
holm.py         p-values adjusted for multiple comparisons
incomplete.py   candidates with different inputs: which can be compared, and their speed over all inputs
ranking.py      order of candidates, with shared ranks for ties
scaling.py      start-up time and cost per byte, with a test for lack of fit
trend.py        slowdown or speed-up of a machine over time
power.py        precision that a number of repetitions reaches, and the number that a precision requires
stopping.py     decision when a case has enough repetitions
distributions.py  tail probabilities and quantiles of the distributions of the tests
claims/         verdicts on the claims of a published benchmark

median, outliers, holm, power, stopping and distributions work without numpy, on devices that lack it.
"""
