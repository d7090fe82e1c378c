"""The daemon's session with the service: identity, enrollment, HTTP client, status, and machine_lock."""
