"""Sensors of the machine: one file a kind, each with ``find(roots)``. What is not there says why."""
