"""Builds on the device: orders, cache, known-answer proofs, footprints."""
