"""Common parts of the service's features: access, limits, problems, lists, events, audit, backups, trust."""
