"""Material from published works: a local file or a download."""
