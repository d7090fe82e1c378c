"""Progress of runs: executions, rates, remaining time and precision."""
