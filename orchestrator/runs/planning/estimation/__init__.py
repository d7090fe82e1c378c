"""Estimates of a plan: duration, precision and builds, before anything is executed."""
