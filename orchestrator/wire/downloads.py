"""Files that a device downloads from the service to install itself (GET /api/v1/downloads)."""

from pydantic import Field

from orchestrator.shared.values.signatures import SignedFile
from orchestrator.wire.base import ByteCount, Line, Message, Sha256, Text

RUNNER_SOURCE = "ciphermark-runners.tar.gz"
"""File name of the sources of the runners."""


class Download(Message):
    """File with its path on the service, SHA-256 and size."""

    path: Line
    """Absolute path on the service: ``/api/v1/downloads/runner-source``."""
    file_name: Line
    sha256: Sha256
    """SHA-256 of the file as it is sent."""
    size_bytes: ByteCount


class RunnerSource(Download):
    """Sources of the runners: a gzipped tar archive of the folder ``runners``."""

    source_sha256: Sha256
    """SHA-256 of paths and contents (orchestrator/compilation/runner_sources.py) of the native runners, whatever packs
    them."""
    languages_sha256: Sha256
    """The same of the providers in other languages."""

    @property
    def signed(self) -> SignedFile:
        """The archive, as the service signs it."""
        return SignedFile("runner-source", RUNNER_SOURCE, self.size_bytes, self.sha256)


class Downloads(Message):
    """All downloads; null entries have a reason in ``absent``."""

    runner_source: RunnerSource
    agent_wheel: Download | None
    absent: dict[Line, Text] = Field(default={})
    """Reasons by absent download."""
