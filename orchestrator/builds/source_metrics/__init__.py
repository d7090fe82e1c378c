"""Sizes and readability of the source code of implementations: lines, comments, compressed bytes, complexity."""
