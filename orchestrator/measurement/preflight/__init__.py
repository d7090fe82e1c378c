"""Preflight checks of the machine, one module each; ``all_checks`` finds them by their function ``check``."""
