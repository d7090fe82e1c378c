"""Rankings by quotients of summed times, and the agreement of two rankings.

sums.py         weighted sums of a candidate's times
correlation.py  rank correlation of two rankings, and the rows whose rank differs most
"""
