"""The runner protocol: commands, and the readings of each report."""
