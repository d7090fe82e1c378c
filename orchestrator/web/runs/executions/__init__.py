"""Pages of cases and executions, and the rows of the result tables."""
