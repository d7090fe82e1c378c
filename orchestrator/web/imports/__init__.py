"""Pages of imports: results of other tools, marked as imported."""
