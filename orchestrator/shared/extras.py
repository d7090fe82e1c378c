"""Commands that install what an extra of this package needs, for the Python that executes it.

They name the packages of the extra, never the extra: no registry of packages has a ``ciphermark`` of ours, so that a
stranger could register the name.
"""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from orchestrator.shared.errors import SetupError

PACKAGE = "ciphermark"


def install_command(extra: str) -> str:
    """Return the command that installs what an extra of pyproject.toml needs. Raises ValueError for an unknown one."""
    return shlex.join([*_installer(), *_packages(extra)])


def not_installed(subject: str, package: str, extra: str) -> SetupError:
    """Return the error that something needs a package of an extra."""
    return SetupError(
        f"{subject} needs the package {package}, which is not installed.",
        remedy=f"Install it with: {install_command(extra)}",
    )


def _packages(extra: str) -> list[str]:
    from importlib.metadata import requires  # noqa: PLC0415 - its import takes time, and only errors need it

    condition = f"extra == '{extra}'"
    found = [requirement for requirement in requires(PACKAGE) or [] if requirement.endswith(condition)]
    if not found:
        raise ValueError(f"{PACKAGE} has no extra {extra!r}")
    # What is left after the extra's name: "; " of a requirement without, " and " of one with another condition.
    return [one.removesuffix(condition).removesuffix(" and ").removesuffix("; ") for one in found]


def _installer() -> list[str]:
    """Return the words before the packages: of pip or uv in this environment, otherwise of the system's pip."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install"]
    uv = Path(sys.executable).with_name("uv")
    if uv.exists():
        return [str(uv), "pip", "install", "--python", sys.executable]
    return ["python3", "-m", "pip", "--python", sys.executable, "install"]
