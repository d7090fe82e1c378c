"""Reports of papers as files: HTML with pictures, LaTeX source, Markdown, CSV, Parquet."""
