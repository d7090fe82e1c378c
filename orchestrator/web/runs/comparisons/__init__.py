"""The page that compares runs, or parts of runs."""
