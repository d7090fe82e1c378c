"""Health of agents: checks requested and stored, and the judgement of each check."""
