"""The scheduler process: one tick lays out runs, dispatches jobs, flushes the outbox, and prunes."""
