"""Pages that answer questions about runs: rankings, costs and comparisons."""
