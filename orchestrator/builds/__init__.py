"""Builds of the runners, the proofs of their known answers, and what a device downloads to make them."""
