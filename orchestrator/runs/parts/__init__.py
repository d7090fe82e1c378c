"""Parts of runs: the agents of a run, resolved at its submission, and the layout of each."""
