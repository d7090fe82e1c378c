"""Bindings: programs of languages with the library of our own ciphers, one file per language."""
