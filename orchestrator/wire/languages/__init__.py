"""Languages whose providers are built and executed by the language's own tools: one file per language."""
