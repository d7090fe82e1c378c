"""Measuring executions on a machine. Imports neither FastAPI nor SQLAlchemy."""
