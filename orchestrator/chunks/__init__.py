"""Inputs as the service knows them: registered from the corpus, offered to agents after their bytes were verified."""
