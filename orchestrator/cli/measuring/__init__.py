"""Parts of the command ``measure``: its options, and the progress on a terminal."""
