"""The corpus as the service offers it."""
