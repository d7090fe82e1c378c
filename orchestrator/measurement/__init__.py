"""One file a source of readings. Imports neither FastAPI nor SQLAlchemy."""
