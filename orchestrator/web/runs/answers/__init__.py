"""Pages that answer questions about one run: rankings and costs."""
