"""Add the files that the installed package needs: migrations, plans, runner sources, deploy files, locks.

Only to a real wheel: an editable installation finds them in the checkout (orchestrator/shared/resources.py), and a copy
in site-packages would become outdated unnoticed.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = ("deploy", "migrations", "plans", "requirements/agent.txt", "requirements/service.txt", "runners")


class ShippedFiles(BuildHookInterface[Any]):
    """Adds the files and folders to a standard wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add ``path`` as ``orchestrator/shipped/path``; caches and build trees stay out."""
        if version == "editable":
            return
        for name in SHIPPED:
            top = Path(self.root) / name
            for path in [top] if top.is_file() else sorted(top.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    inside = path.relative_to(self.root)
                    build_data["force_include"][str(path)] = f"orchestrator/shipped/{inside.as_posix()}"
