"""Complete runs with the real programs, some of which are killed."""
