"""Programs and files from packages of the operating system."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from corpus.material import MaterialMissing
from orchestrator.shared.resources import carried

CARRIED = carried("corpus")


@dataclass(frozen=True)
class Packages:
    """The folders in which packages install files and programs."""

    usr: Path = Path("/usr")
    search_path: str | None = None  # folders of programs, as in PATH; None is the PATH of this process
    carried: Path = CARRIED  # chunks for what is not installed

    def has(self, program: str) -> bool:
        """Return whether the program is installed."""
        return shutil.which(program, path=self.search_path) is not None

    def program(self, name: str, package: str) -> str:
        """Return the path of a program; raise MaterialMissing with the package if it is not installed."""
        path = shutil.which(name, path=self.search_path)
        if path is None:
            raise MaterialMissing(f"the program `{name}` is not installed", packages=(package,))
        return path
