"""Metrics of an execution: one module for each source, and the registry that collects them."""
