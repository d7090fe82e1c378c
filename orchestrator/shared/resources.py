"""Location of the files shipped with the package: next to it in a checkout, inside it in a wheel."""

from pathlib import Path

from orchestrator.shared.errors import SetupError

CROSS_BUILDS = "cross-builds"
"""Folder of archives of cross-built runners, in the cache and in a wheel with runners."""
_PACKAGE = Path(__file__).parents[1]
_SHIPPED = ("runners", "plans", "migrations", "deploy", "requirements")


def shipped(name: str) -> Path:
    """Return the shipped folder of that name (runners, plans, migrations, deploy, requirements).

    Raises SetupError if the installation lacks it.
    """
    if name not in _SHIPPED:
        raise ValueError(f"{name!r} is not shipped; known: {', '.join(_SHIPPED)}")
    for folder in (_PACKAGE / "shipped" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise SetupError(
        f"This installation of Ciphermark has no folder {name!r} (not in {_PACKAGE / 'shipped'} or {_PACKAGE.parent}).",
        remedy="Reinstall the wheel, or use a complete checkout.",
    )


def carried(name: str) -> Path:
    """Return the folder of what a wheel with runners carries (cross-builds, corpus); elsewhere it does not exist."""
    return _PACKAGE / "shipped" / name


def checkout() -> Path | None:
    """Return the root of the checkout that contains this package, or None for an installed wheel."""
    root = _PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() and not (_PACKAGE / "shipped").is_dir() else None
