"""The provider ``python-binding``: a module in C++ by the interface of CPython itself.

CFFI and nanobind would be one more package on each device; CPython's headers are all that this needs.
"""

from dataclasses import replace

from orchestrator.wire.languages import python
from orchestrator.wire.languages.base import Binding, Headers, Language, module_of_library

_CPYTHON = python.LANGUAGE.tool("cpython")
_INCLUDE = "import sysconfig; print(sysconfig.get_path('include'))"

LANGUAGE = Language(
    provider="python-binding",
    label="Python",
    tools=(
        replace(
            _CPYTHON,
            name="cpython-binding",
            headers=Headers(arguments=("-I", "-c", _INCLUDE), file="Python.h", package="python3-dev"),
        ),
    ),
    sources=("**/*.py", "**/*.cpp"),
    build=(module_of_library("so"), *python.LANGUAGE.build),
    start=python.LANGUAGE.start,
    binding=Binding(python.LANGUAGE, shared=("main.py", "program/*.py", "ciphers/__init__.py", "ciphers/errors.py")),
)
