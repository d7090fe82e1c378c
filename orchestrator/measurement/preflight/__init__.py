"""The conditions of good measuring, one file a check; ``all_checks`` finds them by their function ``check``."""
