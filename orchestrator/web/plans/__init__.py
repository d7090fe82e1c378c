"""The editor of plans: questions, text, preview and submission."""
