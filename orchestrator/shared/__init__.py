"""Errors, units, settings, logs, values, files, TLS and exporters: all rooms use them, and they need none of them."""
