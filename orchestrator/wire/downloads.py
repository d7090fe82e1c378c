"""What a device fetches from its service to install itself. GET /api/v1/downloads."""

from pydantic import Field

from orchestrator.wire.base import ByteCount, Message, Sha256


class Download(Message):
    """One file, named by the SHA-256 of its bytes; null with a reason where the service cannot give it."""

    path: str
    """On the service, from its root: ``/api/v1/downloads/runner-source``."""
    file_name: str
    sha256: Sha256
    """Of the file as it is sent."""
    size_bytes: ByteCount


class RunnerSource(Download):
    """The sources of the runners, a gzipped tar of one folder ``runners``."""

    source_sha256: Sha256
    """Of the list of paths and contents (orchestrator/runner_sources.py): the same however it was packed."""


class Downloads(Message):
    """Everything there is to fetch."""

    runner_source: RunnerSource
    agent_wheel: Download | None
    absent: dict[str, str] = Field(default={})
    """Download → why it is not there."""
