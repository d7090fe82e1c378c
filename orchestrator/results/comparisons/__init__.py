"""Comparisons of runs: ratios of the cases that two runs have in common, and what changed between them."""
