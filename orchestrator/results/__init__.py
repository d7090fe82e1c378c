"""Results of runs: records stored, digests judged, statistics kept, answers computed, rows exported.

ingest.py           records from daemons become executions
validation.py       what a record must satisfy before it is stored
case_statistics.py  statistics of each case, kept next to it
digests/            expected digests and the verdicts on ciphertexts
answers/            readings of a run compared and ranked; figures by input length; scaling
export/             every execution as a row
"""
