"""Objects in ccache, for tests that compile the same sources in the same way."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def compiled_before() -> Iterator[None]:
    """Let CMake take objects from ccache during the block, where it is installed, and add those that it compiles."""
    with pytest.MonkeyPatch.context() as patched:
        if shutil.which("ccache"):
            patched.setenv("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
        yield
