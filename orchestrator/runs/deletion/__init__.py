"""Deletion of runs: requested by a client, executed by the scheduler in bounded transactions."""
