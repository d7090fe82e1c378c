"""Bundles: one archive with a run's rows, the verdicts of a paper on them, and what is needed to repeat both."""
