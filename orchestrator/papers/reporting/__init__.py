"""Forms of the report of a paper that need no web page: sentences, Markdown, LaTeX source, rows of data."""
