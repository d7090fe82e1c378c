"""Licenses of what the service sends to browsers."""
