"""The program on a device: takes jobs, executes them, delivers records. Imports neither FastAPI nor SQLAlchemy."""
