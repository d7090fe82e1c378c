"""Page of the audit log."""
