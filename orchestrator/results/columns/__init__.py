"""Columns of the tables of answers, each declared once for the terminal and for pages."""
