"""Limits of a device on the candidates of an answer, and the Pareto front over two measures. Pure."""
