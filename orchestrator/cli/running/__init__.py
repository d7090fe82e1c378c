"""Execution of plans: submission, watching until the end, and the system that a command starts for itself."""
