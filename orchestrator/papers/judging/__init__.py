"""Verdicts on the claims of a paper, and the differences of a run from the publication."""
