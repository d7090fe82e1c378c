"""Starting a runner: core affinity, environment, page cache, and the native launcher."""
