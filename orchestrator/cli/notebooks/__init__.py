"""Runs and results of a service as data frames, for notebooks and scripts (extra `client`)."""

from orchestrator.cli.notebooks.frames import Client, connect

__all__ = ["Client", "connect"]
