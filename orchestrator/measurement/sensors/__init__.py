"""Sensors of the machine: one file a kind, each with ``KIND`` and ``find(roots)``; what is not there says why.

``find.py`` discovers them; nothing lists them. ``base.py`` is what a sensor and a meter of energy are.
"""
