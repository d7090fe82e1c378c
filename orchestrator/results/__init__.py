"""What was measured: taken in, verified, summed up, compared, given out.

ingest.py       records from daemons into executions
third_party.py  what a ciphertext must be according to Python's cryptography
verdicts.py     which ciphertext is right (pure)
digests.py      the same, over the database: expectations, executions marked again
summaries.py    statistics of a case
readings.py     throughputs and calls of a run as arrays: candidates × blocks × inputs
answer.py       which one, and how sure
charts.py       the same by length, for drawing
"""
