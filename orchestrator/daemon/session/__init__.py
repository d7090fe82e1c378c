"""The daemon's session with the service: identity, enrollment, HTTP client, status, and active jobs."""
