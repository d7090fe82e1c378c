"""The site of the documentation: pages, search, the executed notebook, and pictures of the dashboard."""
