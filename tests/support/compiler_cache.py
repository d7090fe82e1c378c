"""Objects that the native tests' build left in ccache, for tests that compile the same sources in the same way."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def compiled_before() -> Iterator[None]:
    """Let CMake take objects from ccache during the block, where it is installed; none is added.

    Added objects could hide warnings: `make test` ignores -Werror when it compares commands.
    """
    with pytest.MonkeyPatch.context() as patched:
        if shutil.which("ccache"):
            patched.setenv("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
            patched.setenv("CCACHE_READONLY", "1")
        yield
