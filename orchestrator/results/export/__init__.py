"""Every execution of a run as rows for the exporters."""
