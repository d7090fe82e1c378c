"""The overhead of masking: quotients of summed times, relative to ChaCha20-Poly1305, and how the order of rows changes.

service.py   reads a run and returns the answer
sums.py      weighted sums of each candidate's calls, and its baseline (pure)
tables.py    rows of an agent, ranked for each generator (pure)
orders.py    rank correlation of the tables (pure)
schemas.py   the answer as the API and the pages return it
"""
