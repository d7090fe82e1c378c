"""The cost of a mixture of message lengths and key changes, per candidate of a run."""
