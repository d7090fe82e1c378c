"""From a plan and the offers of agents to cases, omissions, an estimate and a preview."""
