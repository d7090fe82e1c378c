"""The journal of a daemon: the record of every finished execution, until the service has it and for a while after.

journal.py  records and their delivery
file.py     the SQLite file, whose damage is repaired before any access
damage.py   damage found, moved aside, and what can still be read
room.py     what is deleted when, and how its room returns to the disk
"""
