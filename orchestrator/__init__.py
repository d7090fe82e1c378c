"""Ciphermark: which cipher, library, compiler and flags should this device use, and how sure are we?"""

__version__ = "0.2.0"
