"""Ciphermark: measures which cipher, library, compiler and flags suit a device best."""

__version__ = "0.2.0"
