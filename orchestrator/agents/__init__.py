"""Registered machines: enrolment, approval, heartbeats, inventories."""
