"""Audit log: who did what, when and from where, and what was refused."""
