"""The complete system: one data folder per test file, and one build cache for all."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.settings import CommonSettings
from tests.support.paths import FIXTURES
from tests.support.system import System

TWO_WATTS = FIXTURES / "programs" / "two_watts.py"


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """Use the cache filled by `ciphermark runners build`; the build key detects outdated builds."""
    return CommonSettings().cache_folder


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Iterator[System]:
    meter = shlex.join([sys.executable, "-S", str(TWO_WATTS)])
    folder = tmp_path_factory.mktemp("data")
    with System(folder, cache_folder, meter_command=meter, sensor_interval_seconds="1") as running:
        yield running
