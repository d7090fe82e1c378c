"""Health of agents: checks requested and stored, and the judgment of each check."""
