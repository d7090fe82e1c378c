"""The parts of a run that can be sides of a comparison, and comparisons that the run suggests."""
