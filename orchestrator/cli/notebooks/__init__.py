"""Runs and results of a service as data frames, for notebooks and scripts (`pip install 'ciphermark[client]'`)."""

from orchestrator.cli.notebooks.frames import Client, connect

__all__ = ["Client", "connect"]
