"""The libraries that runners are made of, as the table next to their sources lists them.

Standard library only.
"""

from dataclasses import dataclass
from pathlib import Path

TABLE = "src/baselines/libraries.txt"
"""Path of the table in the folder of the runner sources, which describes its columns."""


@dataclass(frozen=True)
class Library:
    """A library with a runner of its own: one row of the table."""

    provider: str
    header: str
    link_names: tuple[str, ...]
    """Alternatives, the preferred one first."""
    packages: tuple[str, ...]
    """Debian packages with the header, the preferred one first."""
    modules: tuple[str, ...]
    """Names for pkg-config; empty if the package has none."""
    license_id: str
    set_up: str
    """Target of scripts/setup.sh that installs the package: ``demo`` or ``libraries``."""

    @property
    def served(self) -> bool:
        """Return whether programs with this library are served to other machines: copyleft libraries are not."""
        return "GPL" not in self.license_id


def runner_libraries(runners: Path) -> list[Library]:
    """Return the rows of the table in this folder of runner sources; empty for sources without libraries.

    Raises ValueError if a row has another number of columns.
    """
    table = runners / TABLE
    if not table.is_file():
        return []
    lines = table.read_text(encoding="utf-8").splitlines()
    return [_library(line) for line in lines if line.strip() and not line.startswith("#")]


def _library(line: str) -> Library:
    columns = line.split()
    if len(columns) != 7:
        raise ValueError(f"{TABLE}: {line!r} has {len(columns)} columns; expected 7.")
    provider, header, link, packages, modules, license_id, set_up = columns
    return Library(
        provider=provider,
        header=header,
        link_names=tuple(link.partition("&")[0].split(",")),
        packages=tuple(packages.split(",")),
        modules=() if modules == "-" else tuple(modules.split(",")),
        license_id=license_id,
        set_up=set_up,
    )
