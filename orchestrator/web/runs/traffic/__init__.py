"""The page of a traffic: message lengths and key changes, and their cost with each candidate of a run."""
