"""Access to the service: tokens, roles, dashboard sessions, Host and Origin rules, request bodies, listen addresses."""
