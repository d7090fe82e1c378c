"""Start-up and cost per byte of a run's candidates.

service.py  reads a run and fits a line through the input lengths of each candidate
schemas.py  the answer as the API and the pages return it
"""
