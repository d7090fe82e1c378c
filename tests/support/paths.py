"""Paths of the repository that tests read from."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FIXTURES = REPOSITORY / "tests" / "fixtures"
