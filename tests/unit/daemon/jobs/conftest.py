from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.daemon.jobs.journal.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as journal:
        yield journal
