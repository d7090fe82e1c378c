"""Calibration, health checks, preflight reports, and sensor series."""
