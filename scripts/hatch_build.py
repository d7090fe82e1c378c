"""Add the files that the installed package needs: migrations, plans, runner sources, deploy files, locks.

Only to a real wheel: an editable installation finds them in the checkout (orchestrator/shared/resources.py), and a copy
in site-packages would become outdated unnoticed.

With ``CIPHERMARK_WHEEL_RUNNERS=FOLDER`` the wheel also carries what ``make wheels`` puts into that folder: runners, the
demo's input data, and licenses. It is then for the machine in ``FOLDER/machine`` alone, and requires what its commands
need there.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = ("deploy", "migrations", "plans", "requirements/agent.txt", "requirements/service.txt", "runners")
CARRIED = ("corpus", "cross-builds", "licenses")
TAGS = {
    "x86_64": "py3-none-manylinux_2_17_x86_64",
    "aarch64": "py3-none-manylinux_2_17_aarch64",
    "armhf": "py3-none-manylinux_2_17_armv7l",
}
"""The programs are linked statically and need no C library; a package that the wheel requires has no older wheel."""
EXTRAS = {"x86_64": ("agent", "service"), "aarch64": ("agent", "service"), "armhf": ("agent",)}
"""A 32-bit device measures and is no server: NumPy has no wheel for it."""


class ShippedFiles(BuildHookInterface[Any]):
    """Adds the files and folders to a standard wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add ``path`` as ``orchestrator/shipped/path``; caches and build trees stay out."""
        if version == "editable":
            return
        self._include(Path(self.root), SHIPPED, build_data)
        if folder := os.environ.get("CIPHERMARK_WHEEL_RUNNERS"):
            machine = Path(folder, "machine").read_text(encoding="utf-8").strip()
            self._include(Path(folder), CARRIED, build_data)
            build_data.update(pure_python=False, tag=TAGS[machine], dependencies=self._requirements(EXTRAS[machine]))

    def _include(self, root: Path, names: tuple[str, ...], build_data: dict[str, Any]) -> None:
        for top in (root / name for name in names):
            for path in [top] if top.is_file() else sorted(top.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    inside = path.relative_to(root)
                    build_data["force_include"][str(path)] = f"orchestrator/shipped/{inside.as_posix()}"

    def _requirements(self, extras: tuple[str, ...]) -> list[str]:
        optional = self.metadata.core.optional_dependencies
        return [one for extra in extras for one in optional[extra] if not one.startswith("ciphermark")]
