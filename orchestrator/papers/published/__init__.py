"""The papers: one module each, with a constant PAPER. A new file here is found by itself."""
