"""The command line `ciphermark`: commands, their tables, and the client for the service."""
