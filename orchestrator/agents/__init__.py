"""Registered machines: enrollment, approval, heartbeats, inventories, health checks."""
