"""Versions of libraries on this device: the distribution's, and folders that its operator registered."""
