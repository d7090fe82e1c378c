"""Changes of the registered library versions while the daemon runs."""

from pathlib import Path

from orchestrator.compilation.libraries.registered import usable_registered
from orchestrator.compilation.libraries.versions import buildable_versions
from orchestrator.daemon.machine.inventory import report_of
from orchestrator.shared.files.identity import FileIdentity
from orchestrator.wire.agents import InventoryReport


class RegisteredVersions:
    """Brings the library versions of an inventory up to date when the operator changed the list."""

    def __init__(self, file: Path) -> None:
        """Remember the present list, which the first inventory of the daemon contains."""
        self._file = file
        self._seen = FileIdentity.find(file)

    def update(self, report: InventoryReport) -> InventoryReport:
        """Return the inventory with the versions of the list, the same one if the file did not change."""
        identity = FileIdentity.find(self._file)
        if identity == self._seen:
            return report
        self._seen = identity
        versions = buildable_versions(report.inventory.libraries, usable_registered(self._file))
        return report_of(report.inventory.model_copy(update={"library_versions": versions}))
