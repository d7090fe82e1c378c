"""Chunks of the corpus: registered in the database, and served to agents after their bytes were verified."""
