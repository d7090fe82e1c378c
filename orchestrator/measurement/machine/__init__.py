"""State of the measured machine: clocks, cores, control groups, temperature, and disturbance marks."""
