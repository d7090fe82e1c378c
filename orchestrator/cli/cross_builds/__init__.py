"""Runners for Arm devices, compiled on the machine of the service (``ciphermark runners cross-build``)."""
