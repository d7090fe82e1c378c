"""Pure functions on readings: no I/O, nothing of ours."""
