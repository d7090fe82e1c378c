"""Editing of plans: names to complete, lines of errors, and texts written from answers or from stored plans."""
