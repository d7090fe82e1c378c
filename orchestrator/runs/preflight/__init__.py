"""Reports of preflight checks: environment checks that daemons make before a run."""
