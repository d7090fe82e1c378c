"""Reports of daemons on the conditions under which they measure."""
