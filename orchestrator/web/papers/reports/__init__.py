"""Reports of papers as files: HTML with pictures, PDF, LaTeX source, Markdown, CSV, Parquet."""
