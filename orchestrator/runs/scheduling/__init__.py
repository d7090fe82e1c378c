"""From cases to jobs: the seeded order of executions, rounds, and the lease that one scheduler takes on a run."""
