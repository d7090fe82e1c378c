"""Plans and runs: the pure planner, the states, laying out, progress."""
