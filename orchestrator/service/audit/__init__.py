"""Audit log: actions with their time, caller and network address, and refusals."""
