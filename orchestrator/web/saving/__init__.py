"""Pages as files that open without a network: for a message, an archive, or a reader without an account."""
