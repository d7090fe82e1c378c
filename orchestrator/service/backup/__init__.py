"""Backups of the service's data: made while everything runs, verified, limited in number, and restored."""
