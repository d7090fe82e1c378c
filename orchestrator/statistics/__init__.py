"""Pure functions on readings. They decide nothing about what is measured and know no database.

median.py   median, spread, and an interval that assumes no distribution
paired.py   two candidates compared within the same blocks over the same inputs
ranking.py  an order in which what cannot be told apart shares a rank
spread.py   what so many repetitions can show, and how many it takes
student.py  quantiles of Student's distribution without numpy
"""
