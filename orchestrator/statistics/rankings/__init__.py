"""Rankings by quotients of summed times, and the agreement of two rankings.

quotient.py     weighted sums of a candidate's times over those of its baseline
correlation.py  rank correlation of two rankings, and the rows whose rank differs most
"""
