"""Admission of records: whether the agent may report them, and whether their times are possible."""
