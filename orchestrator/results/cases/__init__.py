"""Cases of a run with their statistics, for the API and the pages."""
