from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.database import Shape, add_agent, fill
from tests.support.live_service import Served, serve


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service with a verified run, a run with wrong and failed executions, and a silent emulated agent."""
    folder: Path = tmp_path_factory.mktemp("filled")
    with serve(folder, cache_folder=folder / "cache") as served:
        fill(served.database, Shape(run_id="good00000001", name="good", repetitions=6))
        fill(served.database, Shape(run_id="troubled0001", name="troubled", repetitions=3, trouble=True))
        with served.database.write() as session:
            add_agent(session, "qemu-arm", silent_for=timedelta(minutes=9), emulated=True)
        yield served
