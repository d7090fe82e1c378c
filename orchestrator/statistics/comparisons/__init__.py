"""Comparisons of readings that share no blocks."""
