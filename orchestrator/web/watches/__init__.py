"""Pages of watches."""
