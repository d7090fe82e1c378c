"""Pages of runs, cases and executions."""
