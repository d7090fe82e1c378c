"""Pure functions on readings. They decide nothing about what is measured and know no database.

median.py       median, spread, and an interval that assumes no distribution
outliers.py     which readings lie far from the others of their case
location.py     where block values lie, how sure that is, and whether it could be 0
steadied.py     several inputs as one value a block that one disturbed reading does not carry away
paired.py       two candidates compared within the same blocks over the same inputs
effect_size.py  how large a difference is beside the noise of single blocks
holm.py         p-values of many comparisons made together
ranking.py      an order in which what cannot be told apart shares a rank
scaling.py      start-up and cost per byte, and whether a line is the truth
trend.py        whether a machine gets slower while it measures
spread.py       what so many repetitions can show, and how many it takes
student.py      quantiles of Student's distribution

Median, outliers, holm, spread and student work without numpy, on devices that lack it.
"""
