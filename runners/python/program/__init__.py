"""Runner protocol version 1: commands, reports and errors."""
