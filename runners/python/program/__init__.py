"""Runner protocol version 2: commands, reports and errors."""
