"""Fitness of the machine to measure: calibration, health checks, preflight reports, sensor series."""
