"""The system under test: real parts, each test file with a data folder of its own, all with one cache of builds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.settings import CommonSettings
from tests.acceptance.system import System


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """Use the cache that `ciphermark runners build` filled: a build's key says whether it still fits."""
    return CommonSettings().cache_folder


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Iterator[System]:
    with System(tmp_path_factory.mktemp("data"), cache_folder) as running:
        yield running
