"""Builds of agents with their proofs, calibrations and footprints; requests for builds; downloads for devices."""
