"""A service with filled runs of encrypted files, of timed calls and of masked ciphers."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.support import latency_results
from tests.support.commands import Command
from tests.support.database import Shape as ChunkShape
from tests.support.database import fill
from tests.support.live_service import Served, serve
from tests.support.masked_results import Shape, fill_masked

MASKED = Shape(agents=("x86",))
CALLS = latency_results.Shape(repetitions=12)
CHUNKS = ChunkShape(run_id="chunks000001", sizes=(131072, 1048576), repetitions=10, with_curves=False)


@pytest.fixture(scope="package")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("papers") / "data") as running:
        fill(running.database, CHUNKS)
        latency_results.fill_calls(running.database, CALLS)
        fill_masked(running.database, MASKED)
        yield running


@pytest.fixture
def command(command: Command) -> Command:
    """Return a function that executes `ciphermark papers` with these arguments."""
    return partial(command, "papers")
