"""Registered machines: enrolment, heartbeats, inventories."""
