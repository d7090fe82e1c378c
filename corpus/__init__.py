"""The corpus: a manifest of real sources, a builder of chunks, a content-addressed store."""
