"""Ciphers in Python, written from their specifications."""
