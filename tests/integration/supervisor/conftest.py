import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.up_process import UpProcess

PAUSE_SECONDS = 0.02
"""Between two readings of all arguments; a Python program has its own for a quarter of a second at least."""


class ArgumentWatch:
    """Reads the arguments of all processes again and again, as every user of the machine can."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(PAUSE_SECONDS):
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    self.seen.add((process / "cmdline").read_bytes())
                except OSError:
                    continue

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


@pytest.fixture(scope="package")
def watch() -> Iterator[ArgumentWatch]:
    watch = ArgumentWatch()
    yield watch
    watch.end()


@pytest.fixture(scope="package")
def shared_up(watch: ArgumentWatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UpProcess]:
    """Return one `up` for the tests that leave it running, whose processes are watched from the beginning.

    Without runners its agent refuses jobs, but connects, and nothing is compiled.
    """
    folder = tmp_path_factory.mktemp("shared")
    (runners := folder / "no-runners").mkdir()
    settings = {"share_core": "true", "runners_folder": str(runners), "log_level": "debug"}
    up = UpProcess(folder, "--port", "0", with_agent=True, **settings)
    try:
        up.wait_until_up()
        yield up
    finally:
        up.end()


@pytest.fixture
def up(tmp_path: Path) -> Iterator[UpProcess]:
    up = UpProcess(tmp_path, "--port", "0")
    yield up
    up.end()
