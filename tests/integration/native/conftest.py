"""The built programs, once for all tests and all workers."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.runner_programs import BUILD_FOLDER, MORE_LIBRARIES, PROVIDERS, Runner, build, build_planted


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Let one worker of a parallel test run build at a time."""
    BUILD_FOLDER.mkdir(exist_ok=True)
    with (BUILD_FOLDER / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def programs() -> Path:
    """Return the folder of the programs of the default toolchain."""
    with alone("tests"):
        return build(BUILD_FOLDER / "tests")


@pytest.fixture(scope="session")
def runners(programs: Path) -> dict[str, Runner]:
    """Return every runner that this machine can build, by provider."""
    paths = {provider: programs / f"ciphermark-{provider}" for provider in PROVIDERS}
    return {provider: Runner(path) for provider, path in paths.items() if path.exists()}


@pytest.fixture(scope="session")
def more_libraries(programs: Path) -> dict[str, Runner]:
    """Return the runners of the libraries of which only the ciphers are tested, by provider."""
    paths = {provider: programs / f"ciphermark-{provider}" for provider in MORE_LIBRARIES}
    return {provider: Runner(path) for provider, path in paths.items() if path.exists()}


@pytest.fixture(scope="session")
def own(runners: dict[str, Runner]) -> Runner:
    """Return the runner of our own ciphers, which exists on every machine."""
    return runners["own"]


@pytest.fixture(params=PROVIDERS)
def runner(request: pytest.FixtureRequest, runners: dict[str, Runner]) -> Runner:
    """Return one runner after the other."""
    return installed(runners, request.param)


@pytest.fixture(params=MORE_LIBRARIES)
def library(request: pytest.FixtureRequest, more_libraries: dict[str, Runner]) -> Runner:
    """Return the runner of one further library after the other."""
    return installed(more_libraries, request.param)


@pytest.fixture(params=[*PROVIDERS, *MORE_LIBRARIES])
def any_runner(request: pytest.FixtureRequest, runners: dict[str, Runner], more_libraries: dict[str, Runner]) -> Runner:
    """Return the own runner and one of each library after the other."""
    return installed(runners | more_libraries, request.param)


def installed(found: dict[str, Runner], provider: str) -> Runner:
    """Return the runner of a provider, or skip the test without it."""
    if provider not in found:
        pytest.skip(f"the library of {provider} is not installed here: make libraries")
    return found[provider]


@pytest.fixture(scope="session")
def planted(request: pytest.FixtureRequest) -> Runner:
    """Return the own runner that carries the fault named by the parameter."""
    with alone("tests"):
        return Runner(build_planted("own", request.param))
