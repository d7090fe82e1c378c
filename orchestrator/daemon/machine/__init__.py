"""Facts about the machine that the daemon reports in its inventory."""
