"""Commands of the Python programs of this package."""

import sys
from pathlib import Path


def module_command(module: str, *options: str) -> tuple[str, ...]:
    """Return ``python -m module``, with the folders of modules that this process has.

    -m alone would add the working folder, where a file of the user could have the name of any module.
    """
    safe = () if str(Path.cwd()) in sys.path or "" in sys.path else ("-P",)
    return (sys.executable, *safe, *options, "-m", module)
