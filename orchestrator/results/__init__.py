"""Executions: storing records, verifying digests, summaries, answers."""
