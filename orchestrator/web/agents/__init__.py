"""Pages of agents and of their builds."""
