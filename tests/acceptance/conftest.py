"""The complete system: one for all tests of a worker that leave it as they found it, and one build cache for all."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.shared.settings import CommonSettings
from tests.support.paths import FIXTURES
from tests.support.system import System

TWO_WATTS = FIXTURES / "programs" / "two_watts.py"
OWN_SYSTEM = {"test_builds_wait"}
"""Modules after which the system has one more agent."""


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """Use the cache filled by `ciphermark runners build`; the build key detects outdated builds."""
    return CommonSettings().cache_folder


@contextmanager
def started(folder: Path, cache_folder: Path) -> Iterator[System]:
    """Execute `ciphermark up` with a meter during the block."""
    meter = shlex.join([sys.executable, "-S", str(TWO_WATTS)])
    with System(folder, cache_folder, meter_command=meter) as running:
        yield running


@pytest.fixture(scope="session")
def shared_system(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Iterator[System]:
    with started(tmp_path_factory.mktemp("data"), cache_folder) as running:
        yield running


@pytest.fixture(scope="module")
def system(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, cache_folder: Path
) -> Iterator[System]:
    """Return the shared system, or one of its own for a module that changes it for all later tests."""
    if request.path.stem not in OWN_SYSTEM:
        yield request.getfixturevalue("shared_system")
        return
    with started(tmp_path_factory.mktemp("data"), cache_folder) as running:
        yield running
