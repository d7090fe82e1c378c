"""Limits of a device on the candidates of an answer, and what an answer remarks about them. Pure."""
