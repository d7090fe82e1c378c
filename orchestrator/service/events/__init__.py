"""The event log, and the server-sent events that stream it to clients."""
