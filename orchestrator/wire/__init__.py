"""Messages between service, daemon and runner: pydantic models, versioned; of ours they import errors and units alone.

plans.py      what a person submits
jobs.py       service → daemon, by the queue
records.py    daemon → service: what was measured
heartbeats.py daemon → service and the answer to it
agents.py     enrollment and inventories
builds.py     builds, what their runners list, proofs
runners.py    runner → daemon: protocol version 1
launcher.py   launcher → daemon
"""
