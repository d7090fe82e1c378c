"""Statistics follow the executions: changes are counted as they are stored, and included soon after."""
