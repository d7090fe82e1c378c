"""Sensors of the machine: one module per kind with ``KIND`` and ``find(roots)``, discovered by ``find.py``.

``base.py`` has the interfaces of sensors and energy meters. A kind that a machine lacks has a reason.
"""
