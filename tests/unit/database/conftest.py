"""Fixtures of the database tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.database.engine import Database
from tests.support.empty_database import empty_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with empty_database(tmp_path) as created:
        yield created
