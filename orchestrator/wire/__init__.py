"""Messages between service, daemon, launcher and runner: versioned pydantic models that import only errors and units.

plans.py      document that a user submits
jobs.py       service → daemon, by the queue
records.py    daemon → service: results of executions
heartbeats.py daemon → service, and the response
agents.py     enrollment and inventories
builds.py     builds with the listings of their runners, proofs, calibrations
runners.py    runner → daemon: protocol version 2
launcher.py   launcher → daemon
"""
