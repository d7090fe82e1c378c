"""Registered machines: enrollment, approval, heartbeats, inventories."""
