"""The dashboard: pages, charts, templates."""
