"""Answers: readings of a run pooled, compared and ranked, with their summary sentences."""
