"""Verdicts on the claims of a published benchmark, as pure functions that know no database.

part.py      one comparison of a claim: block values and the range that the claim states for them
ordering.py  one stated order of rows: rank correlation with limits that include every undecided pair
counts.py    share of counted events: exact binomial tests
verdict.py   verdict on one claim, and on all claims of a paper together
"""
