"""Python: the provider ``python`` on CPython and PyPy."""

from orchestrator.wire.languages.base import Language, Tool

_PROGRAM = "import platform, sys; v = getattr(sys, 'pypy_version_info', sys.version_info)[:3]; "
_PROGRAM += "print(platform.python_implementation(), '.'.join(map(str, v)))"

LANGUAGE = Language(
    provider="python",
    label="Python",
    tools=(
        Tool(
            name="cpython",
            programs=r"python3(\.\d+)?",
            version_arguments=("-I", "-c", _PROGRAM),
            version=r"^CPython (\d+\.\d+\.\d+)",
            min_version="3.9",
            package="python3",
        ),
        Tool(
            name="pypy",
            programs=r"pypy3(\.\d+)?",
            version_arguments=("-I", "-c", _PROGRAM),
            version=r"^PyPy (\d+\.\d+\.\d+)",
            min_version="7.3",
            package="pypy3",
        ),
    ),
    sources=("**/*.py",),
    excluded=("tests/**",),
    # Precompiled like an installed package, and by hashes, so that equal sources give equal files.
    build=(
        ("{tool}", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", "{folder}", "{folder}"),
    ),
    start=("{tool}", "-E", "-s", "-B", "{folder}/main.py"),
)
