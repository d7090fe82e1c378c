"""False reports of agents: what cannot be true of their records and proofs, and the quarantine that follows."""
